/** Leaders of the process groups that this process has started and that may still be alive, and what ends those who left the group. */
const live = new Map<number, (() => void) | null>();

/**
 * Remembers the group of a child that was spawned `detached`, so that nothing outlives the supervisor.
 * @param strays ends, at once, what has left the group.
 */
export const trackProcessGroup = (leader: number, strays: (() => void) | null = null): void => {
  live.set(leader, strays);
};
export const untrackProcessGroup = (leader: number): void => {
  live.delete(leader);
};

/** Sends a signal to every process of a group; a group that is gone already is no error. */
export function signalProcessGroup(leader: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-leader, signal);
  } catch (error) {
    // ESRCH: nobody left. EPERM: only zombies of another user are left.
    const code = (error as NodeJS.ErrnoException).code;
    if (code !== 'ESRCH' && code !== 'EPERM') throw error;
  }
}

/** Kills every group that is still known, and what has left it. For the end of the supervisor. */
export function killAllProcessGroups(): void {
  for (const [leader, strays] of live) {
    signalProcessGroup(leader, 'SIGKILL');
    strays?.();
  }
  live.clear();
}
