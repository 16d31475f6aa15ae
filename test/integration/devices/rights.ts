/**
 * What agents may do, as it is shipped: the roles and the policies in deploy/, for one account in the namespace `holdfast` that the agents
 * of all nodes share. What tells them apart is the node in the token of each.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import type { Role } from '../../../src/kit/manifests/rbac.ts';
import type { ControlPlane } from '../../harness/control-plane.ts';
import { RawClient, type RawObject } from '../../harness/raw-client.ts';
import { createServiceAccount, type PolicyRule, type ServiceAccount } from '../../harness/users.ts';
import { eventually } from '../../harness/wait.ts';

/** The names that the policies are shipped with. */
export const NAMESPACE = 'holdfast';
const ACCOUNT = 'holdfast-devices';

export const VOLUMES = '/api/v1/persistentvolumes';
export const configMapsIn = (namespace: string): string => `/api/v1/namespaces/${namespace}/configmaps`;

async function shipped<T>(file: string): Promise<readonly T[]> {
  const text = await readFile(join(import.meta.dirname, '../../../deploy', `${file}.yaml`), 'utf8');
  return parseAllDocuments(text).map((document) => document.toJS());
}

const rulesOf = (roles: readonly Role[], kind: Role['kind']): readonly PolicyRule[] =>
  roles.filter((role) => role.kind === kind).flatMap(({ rules }) => rules);

const [devices, events] = await Promise.all([
  shipped<Role>('rbac/holdfast-devices'),
  shipped<Role>('rbac/holdfast-events'),
]);

/** Everywhere, and in the namespace of the agents. */
export const MAY_HANDLE_DEVICES: readonly PolicyRule[] = rulesOf(devices, 'ClusterRole');
export const MAY_HANDLE_DEVICES_AT_HOME: readonly PolicyRule[] = rulesOf(devices, 'Role');
export const MAY_TELL: readonly PolicyRule[] = rulesOf(events, 'ClusterRole');

export interface AgentRights {
  readonly clusterRules: readonly PolicyRule[];
  readonly namespaceRules?: Readonly<Record<string, readonly PolicyRule[]>>;
}

const AS_SHIPPED: AgentRights = {
  clusterRules: [...MAY_HANDLE_DEVICES, ...MAY_TELL],
  namespaceRules: { [NAMESPACE]: MAY_HANDLE_DEVICES_AT_HOME },
};

/** Makes the namespace, the account of the agents and the policies, and waits until all of it is in force. */
export async function deployAgents(plane: ControlPlane, rights: AgentRights = AS_SHIPPED): Promise<Agents> {
  await plane.admin.post('/api/v1/namespaces', { metadata: { name: NAMESPACE } });
  const account = await createServiceAccount(plane, { name: ACCOUNT, namespace: NAMESPACE, ...rights });
  const objects = await shipped<RawObject>('admission/holdfast-devices');
  for (const object of objects) await plane.admin.post(pathOf(object), object);
  const agents = new Agents(plane, account);
  await agents.areLimited();
  return agents;
}

const pathOf = ({ apiVersion, kind }: RawObject): string =>
  `/apis/${apiVersion}/${kind.toLowerCase().replace(/y$/, 'ie')}s`;

export class Agents implements AsyncDisposable {
  readonly account: ServiceAccount;
  readonly #plane: ControlPlane;
  readonly #clients = new AsyncDisposableStack();

  constructor(plane: ControlPlane, account: ServiceAccount) {
    this.#plane = plane;
    this.account = account;
  }

  /** A token as the kubelet gives it to the pod of the agent on this node. */
  async tokenOn(node: string): Promise<string> {
    const { metadata } = await this.#plane.admin.post(`/api/v1/namespaces/${NAMESPACE}/pods`, {
      metadata: { generateName: 'agent-' },
      spec: { nodeName: node, serviceAccountName: ACCOUNT, containers: [{ name: 'agent', image: 'holdfast' }] },
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
  async areLimited(): Promise<void> {
    const agent = await this.nowhere();
    const forbidden = async (path: string, body: object): Promise<boolean> => {
      const { status, body: answer } = await agent.request('POST', `${path}?dryRun=All`, body);
      return status === 403 && `${answer.message}`.includes('ValidatingAdmissionPolicy');
    };
    const metadata = { name: 'nobodys' };
    const local = { path: '/dev/nobodys' };
    const volume = { metadata, spec: { capacity: { storage: '1' }, accessModes: ['ReadWriteOnce'], local } };
    await eventually(
      async () =>
        (await forbidden(VOLUMES, nowhereUsable(volume))) && (await forbidden(configMapsIn(NAMESPACE), { metadata })),
      { for: 'the policies to be in force' },
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#clients.disposeAsync();
    await this.account[Symbol.asyncDispose]();
  }

  #with(token: string): RawClient {
    return this.#clients.use(new RawClient({ url: this.#plane.url, ca: this.#plane.ca, token }));
  }
}

/** A local volume has to say where it can be used. */
function nowhereUsable<T extends { readonly spec: object }>(volume: T) {
  const matchExpressions = [{ key: 'kubernetes.io/hostname', operator: 'In', values: ['nowhere'] }];
  return {
    ...volume,
    spec: { ...volume.spec, nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions }] } } },
  };
}
