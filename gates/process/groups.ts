/** Leaders of the process groups that this process has started and that may still be alive. */
const live = new Set<number>();

/** Remembers the group of a child that was spawned `detached`, so that nothing outlives the supervisor. */
export const trackGroup = (leader: number): void => {
  live.add(leader);
};
export const forgetGroup = (leader: number): void => {
  live.delete(leader);
};

/** Sends a signal to every process of a group; a group that is gone already is no error. */
export function signalGroup(leader: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-leader, signal);
  } catch (error) {
    // ESRCH: nobody left. EPERM: only zombies of another user are left.
    const code = (error as NodeJS.ErrnoException).code;
    if (code !== 'ESRCH' && code !== 'EPERM') throw error;
  }
}

/** Kills every group that is still known. For the end of the supervisor. */
export function killAllGroups(): void {
  for (const leader of live) signalGroup(leader, 'SIGKILL');
  live.clear();
}
