/** Spreads ids evenly over `shards`; the same id always gets the same one (FNV-1a). */
export function computeShard(id: string, shards: number): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < id.length; index++)
    hash = Math.imul(hash ^ id.charCodeAt(index), 0x01000193) >>> 0;
  return hash % shards;
}
