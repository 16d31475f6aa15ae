/** A real node of a cluster: containerd and kubelet, with a root filesystem of their own, and the images that `make image` built. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { copyFile, link, mkdir, mkdtemp, readdir, rm, rmdir, writeFile } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { BUSYBOX, nodeFiles } from '../../tools/node/build.ts';
import { controlPlaneBinaries } from '../harness/binaries.ts';
import type { ControlPlane } from '../harness/control-plane.ts';
import { kubeconfig } from '../harness/kubeconfig.ts';
import type { RawObject } from '../harness/raw-client.ts';
import { eventually } from '../harness/wait.ts';

const root = resolve(import.meta.dirname, '../..');

/** The first address of the range of services, where pods look for the API server. tools/node-tier.sh has added it to the loopback. */
const API_SERVER_OF_PODS = { host: '10.96.0.1', port: 443 };
const ADDRESS = '10.77.0.1';
const PODS = '10.244.0.0/24';

interface Options {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Of `make image` in this checkout, or none yet. */
  readonly images: 'built' | 'none';
}

export async function startNode(controlPlane: ControlPlane, options: Options): Promise<ClusterNode> {
  const files = await nodeFiles();
  await using started = new AsyncDisposableStack();
  // Not in memory, as the temporary directory is: images are unpacked there.
  const state = await mkdtemp(join(process.env.NODE_STATE ?? tmpdir(), 'node-'));
  started.defer(() => rm(state, { recursive: true, force: true, maxRetries: 5 }));
  started.use(await relayTo(controlPlane.url));
  await configure(join(state, 'node'), files, controlPlane, options);
  const groups = controlGroups();
  const init = startInit(options.name, files, state, groups);
  started.defer(() => ended(init, groups));
  await isReady(controlPlane, options.name, init).catch((error) => {
    throw new Error(`${error}\n${logsIn(state)}`, { cause: error });
  });
  return new ClusterNode(options.name, state, init, started.move());
}

export class ClusterNode implements AsyncDisposable {
  readonly name: string;
  readonly #state: string;
  readonly #init: ChildProcess;
  readonly #stack: AsyncDisposableStack;

  constructor(name: string, state: string, init: ChildProcess, stack: AsyncDisposableStack) {
    this.name = name;
    this.#state = state;
    this.#init = init;
    this.#stack = stack;
  }

  /** Lets the node have a disk under a name of its own, below /dev/disk/by-path. */
  addDisk(name: string, device: string): void {
    this.run('sh', '-c', 'mkdir -p /dev/disk/by-path && ln -s "$1" "/dev/disk/by-path/$2"', 'sh', device, name);
  }

  /** Brings an archive of images onto the node. */
  async importImages(archive: string): Promise<void> {
    await put(archive, join(this.#state, 'node/images'));
    this.run('ctr', '--namespace', 'k8s.io', 'images', 'import', `/node/images/${basename(archive)}`);
  }

  /** Runs a program where the kubelet runs. */
  run(...argv: readonly string[]): string {
    const path = 'PATH=/usr/sbin:/usr/bin:/usr/lib/busybox';
    const enter = ['--target', `${this.#init.pid}`, '--mount', '--root', '--wd=/', '/usr/bin/busybox', 'env', path];
    return execFileSync('nsenter', [...enter, ...argv], { encoding: 'utf8' });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#stack.disposeAsync();
  }
}

async function isReady({ admin }: ControlPlane, name: string, init: ChildProcess): Promise<void> {
  const look = async () => {
    if (init.exitCode !== null) return;
    const { status } = await admin.get<RawObject & { readonly status: NodeStatus }>(`/api/v1/nodes/${name}`);
    return status.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') ?? false;
  };
  await eventually(look, { timeout: 180_000, interval: 250, for: `node ${name} to be ready` });
  if (init.exitCode !== null) throw new Error('the node ended');
}

/** The last lines of what its programs wrote. */
function logsIn(state: string): string {
  const last = (file: string) => readFileSync(join(state, file), 'utf8').split('\n').slice(-25).join('\n');
  return globSync('log/*.log', { cwd: state })
    .map((file) => `${file}:\n${last(file)}`)
    .join('\n\n');
}

interface NodeStatus {
  readonly conditions?: readonly { readonly type: string; readonly status: string }[];
}

async function put(archive: string, into: string): Promise<void> {
  const target = join(into, basename(archive));
  await link(archive, target).catch(() => copyFile(archive, target));
}

async function configure(directory: string, files: string, controlPlane: ControlPlane, options: Options) {
  const { name, labels, images } = options;
  await mkdir(join(directory, 'images'), { recursive: true });
  const built = images === 'built' ? globSync('dist/image/*.tar', { cwd: root }) : [];
  const archives = [join(files, 'busybox.tar'), ...built.map((file) => join(root, file))];
  for (const archive of archives) await put(archive, join(directory, 'images'));
  const identity = { commonName: `system:node:${name}`, organizations: ['system:nodes'] };
  const certificate = controlPlane.credentials.authority.issueClient(identity);
  const texts: Readonly<Record<string, string>> = {
    address: ADDRESS,
    labels: Object.entries(labels)
      .map(([key, value]) => `${key}=${value}`)
      .join(','),
    kubeconfig: kubeconfig({ url: controlPlane.url, ca: controlPlane.ca, certificate }),
    'kubelet.json': JSON.stringify(KUBELET),
    'containerd.toml': CONTAINERD,
    'pods.conflist': JSON.stringify(NETWORK),
    'start.sh': readFileSync(join(root, 'tools/node/start.sh'), 'utf8'),
  };
  for (const [file, text] of Object.entries(texts)) await writeFile(join(directory, file), text);
}

const KUBELET = {
  apiVersion: 'kubelet.config.k8s.io/v1beta1',
  kind: 'KubeletConfiguration',
  containerRuntimeEndpoint: 'unix:///run/containerd/containerd.sock',
  cgroupDriver: 'cgroupfs',
  failCgroupV1: false,
  failSwapOn: false,
  oomScoreAdj: 0,
  authentication: { anonymous: { enabled: true }, webhook: { enabled: false } },
  authorization: { mode: 'AlwaysAllow' },
  // The machine's disk and memory are shared with others: how full they are says nothing about this node.
  evictionHard: {
    'memory.available': '0%',
    'nodefs.available': '0%',
    'nodefs.inodesFree': '0%',
    'imagefs.available': '0%',
  },
  imageGCHighThresholdPercent: 100,
  nodeStatusUpdateFrequency: '5s',
  syncFrequency: '5s',
  resolvConf: '',
  volumePluginDir: '/var/lib/kubelet/volume-plugins',
  clusterDNS: ['10.96.0.10'],
};

/** Without CAP_SYS_RESOURCE no process may be made less likely to be killed. */
const CONTAINERD = `version = 2
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "${BUSYBOX}"
  restrict_oom_score_adj = true
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "/usr/lib/cni"
    conf_dir = "/etc/cni/net.d"
`;

const NETWORK = {
  cniVersion: '0.4.0',
  name: 'pods',
  plugins: [
    {
      type: 'bridge',
      bridge: 'pods',
      isGateway: true,
      ipam: { type: 'host-local', ranges: [[{ subnet: PODS }]], routes: [{ dst: '0.0.0.0/0' }] },
    },
  ],
};

/** The API server is on the loopback; pods have one of their own. */
async function relayTo(url: string): Promise<AsyncDisposable> {
  const { hostname, port } = new URL(url);
  const server: Server = createServer((incoming) => {
    const outgoing = connect(Number(port), hostname);
    for (const [one, other] of [
      [incoming, outgoing],
      [outgoing, incoming],
    ] as const) {
      one.on('error', () => other.destroy());
      one.pipe(other);
    }
  });
  server.listen(API_SERVER_OF_PODS);
  await once(server, 'listening').catch((error) => {
    throw new Error('these tests need namespaces of their own: run tools/node-tier.sh', { cause: error });
  });
  return { [Symbol.asyncDispose]: async () => void server.close() };
}

/** One in each hierarchy of control groups; the machine may have one, or one for each kind of resource. */
function controlGroups(): readonly string[] {
  const unified = existsSync('/sys/fs/cgroup/cgroup.controllers');
  const hierarchies = unified
    ? ['/sys/fs/cgroup']
    : globSync('/sys/fs/cgroup/*/').filter((path) => existsSync(join(path, 'cgroup.procs')));
  return hierarchies.map((path) => join(path, process.env.NODE_GROUP ?? `holdfast-e2e-${process.pid}`));
}

/**
 * It enters its groups before it makes its namespace of them. In version 2 a group has only what the one above hands on, which at the top of
 * the machine may be less than there is.
 */
function startInit(name: string, files: string, state: string, groups: readonly string[]): ChildProcess {
  const script = `set -eu
    for group; do
      mkdir -p "$group"
      for file in cpuset.cpus cpuset.mems; do
        [ ! -e "$group/$file" ] || [ -s "$group/../cgroup.controllers" ] || cat "$group/../$file" >"$group/$file"
      done
      for controller in $(cat "$group/../cgroup.controllers" 2>/dev/null); do
        echo "+$controller" >"$group/../cgroup.subtree_control" || true
      done
      echo $$ >"$group/cgroup.procs"
    done
    exec unshare --mount --uts --ipc --cgroup --propagation private bash "$INIT"`;
  const env = {
    PATH: process.env.PATH,
    INIT: join(root, 'tools/node/init.sh'),
    NODE_NAME: name,
    FILES: files,
    STATE: state,
    BINARIES: controlPlaneBinaries(),
  };
  const log = join(state, 'log/init.log');
  execFileSync('mkdir', ['-p', join(state, 'log')]);
  return spawn('bash', ['-c', `exec >"${log}" 2>&1\n${script}`, 'bash', ...groups], { env, stdio: 'ignore' });
}

/** With it everything that runs on the node, which is in its groups. */
async function ended(init: ChildProcess, groups: readonly string[]): Promise<void> {
  const isGone = init.exitCode !== null || init.signalCode !== null ? undefined : once(init, 'exit');
  const noneIsLeft = () => {
    const processes = groups.flatMap(processesIn);
    for (const process of processes) kill(process);
    return processes.length === 0;
  };
  await eventually(noneIsLeft, { timeout: 30_000, interval: 100, for: 'the processes of the node to end' });
  await isGone;
  for (const group of groups) await removeGroup(group);
}

function processesIn(group: string): readonly number[] {
  const files = globSync('**/cgroup.procs', { cwd: group });
  return files.flatMap((file) => readFileSync(join(group, file), 'utf8').split('\n').filter(Boolean).map(Number));
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It is gone already.
  }
}

async function removeGroup(group: string): Promise<void> {
  if (!existsSync(group)) return;
  for (const entry of await readdir(group, { withFileTypes: true }))
    if (entry.isDirectory()) await removeGroup(join(group, entry.name));
  await rmdir(group);
}
