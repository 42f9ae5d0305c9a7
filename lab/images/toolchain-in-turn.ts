import { TOOLCHAINS } from '../../infra/images.ts';

const DAY_MS = 86_400_000;

/** Lists the toolchains, beginning with the one whose turn it is on that day: CI builds one of them a day. */
export function listToolchainsInTurn(now: Date): readonly (typeof TOOLCHAINS)[number][] {
  const turn = Math.floor(now.getTime() / DAY_MS) % TOOLCHAINS.length;
  return [...TOOLCHAINS.slice(turn), ...TOOLCHAINS.slice(0, turn)];
}
