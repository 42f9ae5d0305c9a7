const ALNUM = 'kZ7qR2mX9bTf4LwD6hNs3VgJ8pYc5Ta1uEoGiKxCrBd';
export const SECRET_HEX_DIGITS = '4e0b7a92c6d813f5';
export const SECRET_DECIMAL_DIGITS = '7294016385';
export const SECRET_UPPERCASE_CHARACTERS = 'QX7RB2MK9TLW4ZD6';

/**
 * A text with the shape of a secret that was never one, the same each time. Examples of rules are put together of such texts, so that
 * no scanner finds a secret in a source file.
 */
export function makeFakeSecret(length: number, alphabet = ALNUM): string {
  let state = 17 * length + alphabet.length;
  let text = '';
  while (text.length < length) {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    text += alphabet[(state >>> 8) % alphabet.length] ?? '';
  }
  return text;
}
