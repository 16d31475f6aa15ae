/** A kubeconfig with one cluster and one user, in the JSON that is also YAML. */
import type { Certificate } from '../../src/kit/certificates.ts';

export interface KubeconfigOptions {
  readonly url: string;
  readonly ca: string;
  readonly token?: string;
  readonly certificate?: Certificate;
  readonly namespace?: string;
}

export function kubeconfig({ url, ca, token, certificate, namespace }: KubeconfigOptions): string {
  const user = {
    ...(token && { token }),
    ...(certificate && {
      'client-certificate-data': base64(certificate.certificate),
      'client-key-data': base64(certificate.key),
    }),
  };
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'test',
    contexts: [{ name: 'test', context: { cluster: 'test', user: 'test', ...(namespace && { namespace }) } }],
    clusters: [{ name: 'test', cluster: { server: url, 'certificate-authority-data': base64(ca) } }],
    users: [{ name: 'test', user }],
  };
  return `${JSON.stringify(config, null, 2)}\n`;
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}
