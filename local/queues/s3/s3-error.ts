/** An error answer of S3. */
export interface S3Error {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  /** Further elements of the error document. */
  readonly details: Readonly<Record<string, string | number>>;
}

export const createS3Error = (
  status: number,
  code: string,
  message: string,
  details: S3Error['details'] = {},
): S3Error => ({ status, code, message, details });

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escapeXml = (text: string): string => text.replaceAll(/[&<>"]/g, (mark) => ENTITIES[mark] ?? mark);

/** The error document of S3's REST API. */
export function s3ErrorDocument({ code, message, details }: S3Error): string {
  const elements = Object.entries({ Code: code, Message: message, ...details });
  const lines = elements.map(([name, value]) => `<${name}>${escapeXml(String(value))}</${name}>`);
  return `<?xml version="1.0" encoding="UTF-8"?>\n<Error>${lines.join('')}</Error>`;
}
