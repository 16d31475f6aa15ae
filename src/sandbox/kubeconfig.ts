/** What kubectl and others need to know to reach a cluster, as the file that they read. */

export interface Reached {
  readonly url: string;
  /** PEM. */
  readonly ca: string;
  readonly token: string;
  readonly namespace?: string;
}

/** JSON, which is also YAML. */
export function kubeconfigFor({ url, ca, token, namespace }: Reached): string {
  const name = 'holdfast-sandbox';
  const authority = Buffer.from(ca).toString('base64');
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': name,
    clusters: [{ name, cluster: { server: url, 'certificate-authority-data': authority } }],
    users: [{ name, user: { token } }],
    contexts: [{ name, context: { cluster: name, user: name, ...(namespace && { namespace }) } }],
  };
  return `${JSON.stringify(config, null, 2)}\n`;
}
