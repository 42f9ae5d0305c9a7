import { X509Certificate } from 'node:crypto';
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Code, LayerVersion } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';

/** A task definition has 64 KiB for everything. */
const MAX_BYTES = 16_384;
const CERTIFICATE = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g;
export const PRIVATE_CA_FILE = 'private-ca.pem';

/** The certificates of a PEM bundle, without what people write between them. Throws what is wrong with it. */
export function readCaBundle(path: string): string {
  const found = readFileSync(path, 'utf8').match(CERTIFICATE) ?? [];
  if (found.length === 0) throw new Error(`${path} holds no certificate in PEM`);
  for (const [index, pem] of found.entries())
    if (!new X509Certificate(pem).ca)
      throw new Error(`certificate ${index + 1} of ${path} is none of an authority`);
  const bundle = `${found.join('\n')}\n`;
  if (bundle.length > MAX_BYTES)
    throw new Error(`${path} is over ${MAX_BYTES} bytes: leave out what is public`);
  return bundle;
}

/**
 * Returns the folder that an image is built of: a bundle, with the authorities in it where the deployment has some. Builds
 * trust them when they download packages, and a layer cannot bring certificates to a function from an image.
 */
export function addPrivateCa(bundle: string, privateCa: PrivateCa | undefined): string {
  if (!privateCa) return bundle;
  const folder = mkdtempSync(join(tmpdir(), 'assay-image-'));
  for (const file of readdirSync(bundle)) copyFileSync(join(bundle, file), join(folder, file));
  writeFileSync(join(folder, PRIVATE_CA_FILE), privateCa.pem);
  return folder;
}

/** Certificate authorities of one's own, which git, Node and other tools of boxes and functions are to trust beside the public ones. */
export class PrivateCa extends Construct {
  readonly pem: string;
  readonly layer: LayerVersion;
  /** What Node is told in a function that has the layer. */
  readonly environment = { NODE_EXTRA_CA_CERTS: `/opt/${PRIVATE_CA_FILE}` };

  constructor(scope: Construct, id: string, props: { readonly pem: string }) {
    super(scope, id);
    this.pem = props.pem;
    const folder = mkdtempSync(join(tmpdir(), 'assay-ca-'));
    writeFileSync(join(folder, PRIVATE_CA_FILE), props.pem);
    this.layer = new LayerVersion(this, 'Layer', {
      description: 'Certificate authorities of your own',
      code: Code.fromAsset(folder),
    });
  }
}
