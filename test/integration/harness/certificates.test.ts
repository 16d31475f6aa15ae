import { X509Certificate } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createAuthority } from '../../../src/kit/certificates.ts';

describe('a certificate authority', () => {
  const authority = createAuthority('an authority');
  const root = new X509Certificate(authority.certificate);

  it('signs its own certificate as one that may sign others', () => {
    expect(root.ca).toBe(true);
    expect(root.verify(root.publicKey)).toBe(true);
    expect(root.subject).toBe('CN=an authority');
  });

  it('issues server certificates for names and addresses', () => {
    const server = new X509Certificate(
      authority.issueServer({ commonName: 'server' }, ['127.0.0.1', 'localhost']).certificate,
    );
    expect(server.checkIssued(root)).toBe(true);
    expect(server.verify(root.publicKey)).toBe(true);
    expect(server.ca).toBe(false);
    expect(server.checkIP('127.0.0.1')).toBe('127.0.0.1');
    expect(server.checkHost('localhost')).toBe('localhost');
    expect(server.checkHost('example.org')).toBeUndefined();
  });

  it('issues client certificates with the key that belongs to them, the groups as organizations', () => {
    const issued = authority.issueClient({ commonName: 'bob', organizations: ['a'.repeat(200), 'b'] });
    const client = new X509Certificate(issued.certificate);
    expect(client.subject).toBe(`O=${'a'.repeat(200)}\nO=b\nCN=bob`);
    expect(client.keyUsage).toEqual(['1.3.6.1.5.5.7.3.2']);
    expect(client.verify(root.publicKey)).toBe(true);
  });

  it('does not vouch for what another authority has signed', () => {
    const other = createAuthority('an authority').issueClient({ commonName: 'mallory' });
    expect(new X509Certificate(other.certificate).verify(root.publicKey)).toBe(false);
  });
});
