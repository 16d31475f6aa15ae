/** The files that a control plane's components read: certificates, keys, tokens, the admin's kubeconfig. */
import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Authority, type Certificate, createAuthority, createKeyPair } from '../../src/kit/certificates.ts';
import { type AuditRule, auditPolicy } from './audit.ts';

/** All that proves who is who in one control plane. */
export interface Credentials {
  readonly authority: Authority;
  readonly server: Certificate;
  readonly admin: Certificate;
  readonly adminToken: string;
  /** Signs service account tokens. */
  readonly serviceAccountKey: { readonly privateKey: string; readonly publicKey: string };
}

/** Loopback, the first address of the service range, and the names that a pod would use. */
const SERVER_NAMES = [
  '127.0.0.1',
  '10.96.0.1',
  'localhost',
  'kubernetes',
  'kubernetes.default',
  'kubernetes.default.svc',
];

export function createCredentials(): Credentials {
  const authority = createAuthority('holdfast-test');
  return {
    authority,
    server: authority.issueServer({ commonName: 'kube-apiserver' }, SERVER_NAMES),
    admin: authority.issueClient({ commonName: 'admin', organizations: ['system:masters'] }),
    adminToken: randomBytes(16).toString('hex'),
    serviceAccountKey: createKeyPair(),
  };
}

export async function writeCredentials(directory: string, credentials: Credentials): Promise<void> {
  const { authority, server, admin, adminToken, serviceAccountKey } = credentials;
  await writeFiles(directory, {
    'ca.crt': authority.certificate,
    'ca.key': authority.key,
    'server.crt': server.certificate,
    'server.key': server.key,
    'admin.crt': admin.certificate,
    'admin.key': admin.key,
    'sa.key': serviceAccountKey.privateKey,
    'sa.pub': serviceAccountKey.publicKey,
    'tokens.csv': `${adminToken},admin,admin,system:masters\n`,
  });
}

export async function writeAuditPolicy(directory: string, rules: readonly AuditRule[]): Promise<void> {
  await writeFiles(directory, { 'audit-policy.json': auditPolicy(rules), 'audit.log': '' });
}

export async function writeFiles(directory: string, files: Readonly<Record<string, string>>): Promise<void> {
  const writes = Object.entries(files).map(([name, text]) => writeFile(join(directory, name), text, { mode: 0o600 }));
  await Promise.all(writes);
}
