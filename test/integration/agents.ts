/**
 * What agents may do, as it is shipped: the roles and the policies in deploy/, for one account in the namespace `holdfast` that the agents
 * of all nodes share. What tells them apart is the node in the token of each.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import type { Role } from '../../src/kit/manifests/rbac.ts';
import type { ControlPlane } from '../harness/control-plane.ts';
import { RawClient, type RawObject } from '../harness/raw-client.ts';
import { createServiceAccount, type PolicyRule, type ServiceAccount } from '../harness/users.ts';
import { eventually } from '../harness/wait.ts';

/** The name that the policies are shipped with. */
export const NAMESPACE = 'holdfast';

export const VOLUMES = '/api/v1/persistentvolumes';
export const configMapsIn = (namespace: string): string => `/api/v1/namespaces/${namespace}/configmaps`;

async function shipped<T>(file: string): Promise<readonly T[]> {
  const text = await readFile(join(import.meta.dirname, '../../deploy', `${file}.yaml`), 'utf8');
  return parseAllDocuments(text).map((document) => document.toJS());
}

/** Of the roles in a file of deploy/rbac. */
export async function shippedRules(name: string, kind: Role['kind']): Promise<readonly PolicyRule[]> {
  const roles = await shipped<Role>(`rbac/${name}`);
  return roles.filter((role) => role.kind === kind).flatMap(({ rules }) => rules);
}

export interface AgentRights {
  readonly clusterRules: readonly PolicyRule[];
  readonly namespaceRules?: Readonly<Record<string, readonly PolicyRule[]>>;
}

/** What no agent may ever do, and is turned away from by a policy. */
export interface Probe {
  readonly method: 'POST' | 'PATCH';
  readonly path: string;
  readonly body: object;
}

export interface Deployment {
  /** Of the job, such as `holdfast-devices`: its account and its policies are named so. */
  readonly name: string;
  readonly rights: AgentRights;
  /** One for each policy. */
  readonly probes: readonly Probe[];
}

/** Makes the namespace, unless agents of another job are in it already, the account and the policies, and waits until all of it is in force. */
export async function deploy(plane: ControlPlane, { name, rights, probes }: Deployment): Promise<Agents> {
  await plane.admin.request('POST', '/api/v1/namespaces', { metadata: { name: NAMESPACE } });
  const account = await createServiceAccount(plane, { name, namespace: NAMESPACE, ...rights });
  const objects = await shipped<RawObject>(`admission/${name}`);
  for (const object of objects) await plane.admin.post(pathOf(object), object);
  const agents = new Agents(plane, account);
  await agents.areLimited(probes);
  return agents;
}

const pathOf = ({ apiVersion, kind }: RawObject): string =>
  `/apis/${apiVersion}/${kind.toLowerCase().replace(/y$/, 'ie')}s`;

const MERGE = 'application/merge-patch+json';

export class Agents implements AsyncDisposable {
  readonly account: ServiceAccount;
  readonly #plane: ControlPlane;
  readonly #clients = new AsyncDisposableStack();

  constructor(plane: ControlPlane, account: ServiceAccount) {
    this.#plane = plane;
    this.account = account;
  }

  /** A token as the kubelet gives it to the pod of the agent on this node, which stays also where no kubelet is heard. */
  async tokenOn(node: string): Promise<string> {
    const { metadata } = await this.#plane.admin.post(`/api/v1/namespaces/${NAMESPACE}/pods`, {
      metadata: { generateName: 'agent-' },
      spec: {
        nodeName: node,
        tolerations: [{ operator: 'Exists' }],
        serviceAccountName: this.account.identity.name,
        containers: [{ name: 'agent', image: 'holdfast' }],
      },
    });
    return await this.account.rotate({ boundTo: { kind: 'Pod', name: metadata.name, uid: metadata.uid } });
  }

  async on(node: string): Promise<RawClient> {
    return this.#with(await this.tokenOn(node));
  }

  /** With a token that is bound to nothing, such as anybody may ask for who can read the account's secrets. */
  async nowhere(): Promise<RawClient> {
    return this.#with(await this.account.rotate());
  }

  /** The server takes a moment to take policies up. What is asked for here is never allowed, and never done. */
  async areLimited(probes: readonly Probe[]): Promise<void> {
    const agent = await this.nowhere();
    const isForbidden = async ({ method, path, body }: Probe): Promise<boolean> => {
      const { status, body: answer } = await agent.request(
        method,
        `${path}?dryRun=All`,
        body,
        method === 'PATCH' ? MERGE : undefined,
      );
      return status === 403 && `${answer.message}`.includes('ValidatingAdmissionPolicy');
    };
    const allForbidden = async () => (await Promise.all(probes.map(isForbidden))).every(Boolean);
    await eventually(allForbidden, { for: 'the policies to be in force' });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#clients.disposeAsync();
    await this.account[Symbol.asyncDispose]();
  }

  #with(token: string): RawClient {
    return this.#clients.use(new RawClient({ url: this.#plane.url, ca: this.#plane.ca, token }));
  }
}
