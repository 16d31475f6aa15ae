/** What kubectl and others need to know to reach a cluster, as the file that they read. */

export interface Reached {
  readonly url: string;
  /** PEM. */
  readonly ca: string;
  readonly token: string;
  readonly namespace?: string;
}

const NAME = 'holdfast-sandbox';

/** JSON, which is also YAML. */
export function kubeconfigFor({ url, ca, token, namespace }: Reached): string {
  const name = NAME;
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

/** Whether it is such a file, and says nothing of any other cluster. */
export function isSandboxKubeconfig(content: string): boolean {
  try {
    const { clusters, users, contexts } = JSON.parse(content) as Record<string, unknown>;
    return [clusters, users, contexts].every(
      (list) => Array.isArray(list) && list.length === 1 && list[0].name === NAME,
    );
  } catch {
    return false; // YAML: we write JSON
  }
}
