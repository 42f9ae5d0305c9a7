/** DynamoDB's overhead in bytes of a list or a map, and of each of their members. */
const DOCUMENT_BYTES = 3;
const MEMBER_BYTES = 1;

/** Two digits to a byte, without leading and trailing zeros, and one or two besides. */
function measureNumberBytes(value: number): number {
  const digits = String(value).replace(/e.*$/, '').replace(/\D/g, '').replace(/^0+/, '').replace(/0+$/, '');
  return Math.ceil(digits.length / 2) + (value < 0 ? 2 : 1);
}

/** What a value takes in an item, by the rules in DynamoDB's developer guide ("item sizes and formats"). */
export function measureValueBytes(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value);
  if (typeof value === 'number') return measureNumberBytes(value);
  if (Array.isArray(value))
    return value.reduce<number>(
      (sum, member) => sum + MEMBER_BYTES + measureValueBytes(member),
      DOCUMENT_BYTES,
    );
  if (typeof value === 'object' && value !== null)
    return DOCUMENT_BYTES + MEMBER_BYTES * Object.keys(value).length + measureItemBytes(value);
  return 1;
}

/** What an item takes: the names of its attributes count. What is undefined is not written. */
export const measureItemBytes = (item: object): number =>
  Object.entries(item).reduce(
    (sum, [name, value]) =>
      value === undefined ? sum : sum + Buffer.byteLength(name) + measureValueBytes(value),
    0,
  );
