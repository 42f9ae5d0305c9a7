/** What is known of a folder of vendored packages, on both sides. */
export interface VendorFolder {
  /** With its slash, e.g. `vendor/`. */
  readonly root: string;
  /** The list of Go's modules (`modules.txt`); null: it has none. */
  readonly modules: { readonly base: string; readonly head: string | null } | null;
  /** Whether the manifest of a package of Rust has the same version on both sides. */
  isSameCrate(folder: string): boolean;
}

/** The folder of vendored packages that a path is in, with its slash, or null. */
export const findVendorRoot = (path: string): string | null => /^(?:.*?\/)?vendor\//s.exec(path)?.[0] ?? null;

/**
 * Whether a file belongs to a package whose version the patch leaves as it is: such a file has no reason to change. Folders that
 * are called so and belong to no package manager that we know are the work.
 */
export function isInUnchangedPackage(path: string, { root, modules, isSameCrate }: VendorFolder): boolean {
  const inner = path.slice(root.length);
  if (modules === null)
    return inner.includes('/') && isSameCrate(`${root}${inner.slice(0, inner.indexOf('/'))}`);
  if (inner === 'modules.txt') return false;
  const before = versionsOf(modules.base);
  const after = modules.head === null ? new Map<string, string>() : versionsOf(modules.head);
  const name = [...before.keys()]
    .filter((module) => inner.startsWith(`${module}/`))
    .reduce<string | null>(
      (longest, module) => (module.length > (longest?.length ?? 0) ? module : longest),
      null,
    );
  return name !== null && before.get(name) === after.get(name);
}

/** `# example.org/module v1.2.3 => other v2`: what stands behind the name, by name. */
function versionsOf(text: string): Map<string, string> {
  const versions = new Map<string, string>();
  for (const line of text.split('\n')) {
    const [mark, name, ...version] = line.trim().split(/\s+/);
    if (mark === '#' && name !== undefined) versions.set(name, version.join(' '));
  }
  return versions;
}
