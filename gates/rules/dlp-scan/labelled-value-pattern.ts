/** From a label to its value: `": `, ` = `, ` is `, `#`, `>`, `,`. */
const LABELLED = String.raw`(?:\\?["'\])]){0,3}[ \t]{0,8}(?:=>|:=|=|:|#|>|,|is\b|no\b\.?|number\b)?[ \t]{0,8}(?:[:=#][ \t]{0,4})?\\?["'(\[]{0,2}`;

/** A pattern for a value that stands behind a label. */
export const buildLabelledValuePattern = (label: string, value: string): RegExp =>
  new RegExp(`(?<![A-Za-z0-9])(?:${label})${LABELLED}(?<value>${value})(?![A-Za-z0-9])`, 'i');
