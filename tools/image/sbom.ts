/** The bill of materials of an image, in SPDX 2.3: what it is made of, in which versions, under which licences. */
import { createHash } from 'node:crypto';
import type { Image } from './contents.ts';
import type { DebianPackage } from './debian.ts';
import type { NpmPackage } from './npm-packages.ts';

/** What is said of the program that an image is made of. */
export interface Made {
  readonly version: string;
  /** Of Node.js. */
  readonly nodeVersion: string;
  /** Seconds since 1970: the time that the image says of itself. */
  readonly epoch: number;
}

interface SpdxPackage {
  readonly SPDXID: string;
  readonly name: string;
  readonly versionInfo: string;
  readonly [field: string]: unknown;
}

export function spdx(
  image: Image,
  debian: readonly DebianPackage[],
  npm: readonly NpmPackage[],
  { version, nodeVersion, epoch }: Made,
): string {
  const itself = described('holdfast', version, 'Apache-2.0', `pkg:generic/holdfast@${version}`);
  const parts = [
    described('node', nodeVersion, 'MIT', `pkg:generic/node@${nodeVersion}`),
    ...debian.map(debianPart),
    ...npm.map(npmPart),
  ];
  const document = {
    spdxVersion: 'SPDX-2.3',
    dataLicense: 'CC0-1.0',
    SPDXID: 'SPDXRef-DOCUMENT',
    name: `holdfast-${image}-${version}`,
    creationInfo: { created: timeOf(epoch), creators: ['Tool: holdfast-image'] },
    packages: [itself, ...parts],
    relationships: [
      related('SPDXRef-DOCUMENT', 'DESCRIBES', itself),
      ...parts.map((part) => related(itself.SPDXID, 'CONTAINS', part)),
    ],
  };
  // The name of a document has to be its own: it is that of what is in it.
  const documentNamespace = `https://spdx.org/spdxdocs/${document.name}-${sha256(JSON.stringify(document))}`;
  return `${JSON.stringify({ ...document, documentNamespace }, undefined, 1)}\n`;
}

/** As SPDX and the specification of images write it. */
export const timeOf = (epoch: number): string => new Date(epoch * 1000).toISOString().replace('.000Z', 'Z');

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** The terms of a package of Debian are in its file `copyright`, which no machine reads reliably. */
function debianPart({ name, version, architecture, source }: DebianPackage): SpdxPackage {
  const purl = `pkg:deb/debian/${encodeURIComponent(name)}@${encodeURIComponent(version)}?arch=${architecture}`;
  return { ...described(name, version, 'NOASSERTION', purl), sourceInfo: `built from the source package ${source}` };
}

function npmPart({ name, version, licence, integrity }: NpmPackage): SpdxPackage {
  const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`;
  const [algorithm = '', checksum = ''] = integrity.split('-', 2);
  const checksumValue = Buffer.from(checksum, 'base64').toString('hex');
  return {
    ...described(name, version, licence, purl),
    ...(checksumValue && { checksums: [{ algorithm: algorithm.toUpperCase(), checksumValue }] }),
  };
}

function described(name: string, versionInfo: string, licenseDeclared: string, purl: string): SpdxPackage {
  return {
    SPDXID: `SPDXRef-${`${purl.split('/', 1)[0]}-${name}-${versionInfo}`.replace(/[^A-Za-z0-9.]+/g, '-')}`,
    name,
    versionInfo,
    downloadLocation: 'NOASSERTION',
    filesAnalyzed: false,
    licenseConcluded: 'NOASSERTION',
    licenseDeclared,
    copyrightText: 'NOASSERTION',
    externalRefs: [{ referenceCategory: 'PACKAGE-MANAGER', referenceType: 'purl', referenceLocator: purl }],
  };
}

const related = (spdxElementId: string, relationshipType: string, { SPDXID }: SpdxPackage) => ({
  spdxElementId,
  relationshipType,
  relatedSpdxElement: SPDXID,
});
