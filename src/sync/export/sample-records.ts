/** For tests: a manifest and a pointer as they are written. */
import { type Manifest, type Pointer, SCHEMA_VERSION } from './manifest.ts';
import { exportKey, manifestKey } from './names.ts';

const DIGEST = 'ab'.repeat(32);

export const aManifest = (parts: Partial<Manifest> = {}): Manifest => ({
  schemaVersion: SCHEMA_VERSION,
  cluster: 'prod',
  clusterUid: 'uid-of-prod',
  epoch: 1,
  sequence: 7,
  createdAt: '2026-01-01T00:00:00.000Z',
  export: {
    key: exportKey('prod', 1767225600),
    sha256: DIGEST,
    bytes: 100,
    plain: { sha256: DIGEST, bytes: 100 },
    compression: 'None',
    encryption: 'None',
    keyId: null,
  },
  counts: { storageClasses: 1, volumes: 2, claims: 3 },
  previous: null,
  ...parts,
});

export const aPointer = (parts: Partial<Pointer> = {}): Pointer => ({
  schemaVersion: SCHEMA_VERSION,
  cluster: 'prod',
  clusterUid: 'uid-of-prod',
  epoch: 1,
  newest: { key: manifestKey('prod', 1, 7), sha256: DIGEST, sequence: 7 },
  confirmedAt: '2026-01-01T00:00:00.000Z',
  ...parts,
});
