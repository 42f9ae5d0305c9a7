import { useState } from 'preact/hooks';
import { Dialog } from '../components/dialog.tsx';
import { hasShortcutsEnabled, setShortcutsEnabled } from '../components/shortcuts.ts';

const KEYS: readonly (readonly [string, string])[] = [
  ['g b', 'Go to the board'],
  ['g q', 'Go to the quality page'],
  ['/', 'Filter the board'],
  ['j, k', 'Next, previous task'],
  ['Enter', 'Open the task'],
  ['a, x', 'Approve, reject work that needs review'],
  ['v', 'Repeat the verdict (rejudge)'],
  ['r, c', 'Retry, cancel a task'],
  ['?', 'Show this'],
  ['Esc', 'Close a dialog'],
];

/** Lists the keys, and turns them off for those whose speech input would press them. */
export function ShortcutHelp({ onClose }: { readonly onClose: () => void }) {
  const [on, setOn] = useState(hasShortcutsEnabled);
  const turn = (wanted: boolean): void => {
    setShortcutsEnabled(wanted);
    setOn(wanted);
  };
  return (
    <Dialog title="Keys" onClose={onClose}>
      <table>
        <thead>
          <tr>
            <th scope="col">Key</th>
            <th scope="col">What it does</th>
          </tr>
        </thead>
        <tbody>
          {KEYS.map(([keys, does]) => (
            <tr key={keys}>
              <td>
                <kbd>{keys}</kbd>
              </td>
              <td>{does}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p>
        <label>
          <input type="checkbox" checked={on} onChange={(event) => turn(event.currentTarget.checked)} />{' '}
          Single keys are on
        </label>
      </p>
      <form method="dialog" class="buttons">
        <button type="submit">Close</button>
      </form>
    </Dialog>
  );
}
