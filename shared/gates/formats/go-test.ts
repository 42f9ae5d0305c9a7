import { type Complaint, complaint, type Format, jsonLines } from './report.ts';

/** A place inside the package's folder, as `testing` prints it before a message. */
const PLACE = /^\s{1,16}([\w.-]{1,200}\.go):(\d{1,9}): (.{0,2000})$/;

/** `go test -json`: each failed test, and each package that failed without one, e.g. because it does not compile. */
export const goTest: Format = (text, root) => {
  const events = jsonLines(text);
  if (!events.some(({ Action }) => Action === 'start')) throw new Error('no package was started');
  const said = new Map<string, string[]>();
  const failed = new Map<string, { readonly name: string; readonly test: string | null }>();
  const blamed = new Set<string>();
  let tests = 0;
  for (const { Action, Package, Test, Output } of events) {
    if (typeof Package !== 'string') continue;
    const test = typeof Test === 'string' ? Test : null;
    const id = test === null ? Package : `${Package}.${test}`;
    if (Action === 'output' && typeof Output === 'string')
      said.set(id, [...(said.get(id) ?? []), Output].slice(-50));
    if (test !== null && (Action === 'pass' || Action === 'fail')) tests++;
    if (Action !== 'fail' || (test === null && blamed.has(Package))) continue;
    blamed.add(Package);
    failed.set(id, { name: Package, test });
  }
  // A test that fails because one inside of it does says nothing more.
  const outer = new Set([...failed.keys()].flatMap(parentsOf));
  const complaints = [...failed].flatMap(([id, { name, test }]): Complaint[] => {
    if (test !== null && outer.has(id)) return [];
    const match = (said.get(id) ?? [])
      .map((line) => PLACE.exec(line.trimEnd()))
      .find((each) => each !== null);
    const message = `${id}: ${match?.[3] ?? said.get(id)?.at(-1)?.trim() ?? 'failed'}`;
    const rule = test === null ? 'package_failed' : 'test_failed';
    // The report names packages, not folders; the file's own name is all that is known of its place.
    return [
      complaint(
        root,
        { file: null },
        rule,
        match ? `${message} (${match[1]}:${match[2]})` : message,
        JSON.stringify([name, test]),
      ),
    ];
  });
  return { complaints, tests };
};

/** Names of the tests that a subtest is in: `a.T/b/c` is in `a.T/b` and `a.T`; slashes of the package do not count. */
function parentsOf(id: string): string[] {
  const from = id.indexOf('.Test');
  const parents: string[] = [];
  for (let at = id.indexOf('/', Math.max(0, from)); from >= 0 && at >= 0; at = id.indexOf('/', at + 1))
    parents.push(id.slice(0, at));
  return parents;
}
