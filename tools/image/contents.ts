/**
 * What the images hold and how they start: the one list of it. `make image` builds archives from it, the Dockerfile unpacks what it
 * names, and tools/image/dockerfile.test.ts holds what a Dockerfile has to say by itself against it.
 */

/** Where the Debian packages come from. Its updates are in it: an image is as new as the day when its packages were fetched. */
export const DEBIAN = { suite: 'trixie', mirror: 'http://deb.debian.org' };

export type Image = 'cluster' | 'node';

export interface Contents {
  /** Debian packages; what they depend on comes with them. */
  readonly packages: readonly string[];
  /** Of what they depend on, what nothing in the image uses: installers, interpreters, and libraries of programs that we do not run. */
  readonly without: readonly string[];
}

/** Of Node.js, and the certificates of the authorities that object stores have theirs from. */
const EVERYWHERE = ['base-files', 'libc6', 'libstdc++6', 'libgcc-s1', 'libatomic1', 'ca-certificates'];
const INSTALLERS = ['debconf', 'dpkg', 'tar', 'mawk'];

export const CONTENTS: Readonly<Record<Image, Contents>> = {
  cluster: {
    packages: EVERYWHERE,
    without: [...INSTALLERS, 'openssl', 'libssl3t64', 'openssl-provider-legacy', 'libzstd1', 'zlib1g'],
  },
  node: {
    packages: [
      ...EVERYWHERE,
      'util-linux',
      'mount',
      'fdisk',
      'kmod',
      'lvm2',
      'thin-provisioning-tools',
      'cryptsetup-bin',
      'e2fsprogs',
      'xfsprogs',
      'btrfs-progs',
    ],
    without: [
      ...INSTALLERS,
      'openssl',
      'openssl-provider-legacy',
      'python3*',
      'libpython3*',
      'libicu*',
      'libglib2.0*',
      'media-types',
      'netbase',
      'tzdata',
      'libffi8',
      'libexpat1',
      'libdb5.3t64',
      'libpam-*',
      'readline-common',
    ],
  },
};

export const PATHS = {
  program: '/usr/local/lib/holdfast/holdfast.mjs',
  /** Of the console, which looks for it beside the program. */
  page: '/usr/local/lib/holdfast/console',
  node: '/usr/local/bin/node',
  /** A bill of materials in SPDX, for those who look into the image. */
  sbom: '/usr/share/holdfast/sbom.spdx.json',
  certificates: '/etc/ssl/certs/ca-certificates.crt',
  workingDirectory: '/app',
};

/** The names that the program is there by: its own, and those by which the manifests of the originals start it. */
export const COMMANDS: readonly string[] = [
  '/usr/local/bin/holdfast',
  '/pv-labels-operator',
  '/local-pv-provisioner',
  '/k8s-local-pv',
  '/manager',
  '/usr/local/bin/pvsync',
  `${PATHS.workingDirectory}/storage-agent.js`,
];

export interface Tag {
  /** After the version: `0.1.0-node`; empty for the version alone. */
  readonly name: '' | 'node' | 'topology' | 'devices' | 'lvm' | 'pool' | 'sync' | 'storage-agent';
  readonly image: Image;
  readonly entrypoint: readonly string[];
  /** Where the pod does not say another. */
  readonly user: string;
}

const NOBODY = '65532:65532';
const ROOT = '0:0';

/** One for each side, which takes a command, and one for each job, which takes the flags of the program that it replaces. */
export const TAGS: readonly Tag[] = [
  { name: '', image: 'cluster', entrypoint: ['/usr/local/bin/holdfast'], user: NOBODY },
  { name: 'topology', image: 'cluster', entrypoint: ['/pv-labels-operator'], user: NOBODY },
  { name: 'pool', image: 'cluster', entrypoint: ['/manager'], user: NOBODY },
  { name: 'sync', image: 'cluster', entrypoint: ['/usr/local/bin/pvsync'], user: NOBODY },
  // As the original's: its volumes belong to root. A pool that is made anew has its agents run as nobody, whatever the image says.
  { name: 'storage-agent', image: 'cluster', entrypoint: ['node', 'storage-agent.js'], user: ROOT },
  { name: 'node', image: 'node', entrypoint: ['/usr/local/bin/holdfast'], user: ROOT },
  { name: 'devices', image: 'node', entrypoint: ['/local-pv-provisioner'], user: ROOT },
  { name: 'lvm', image: 'node', entrypoint: ['/k8s-local-pv'], user: ROOT },
];

export const ENVIRONMENT: Readonly<Record<string, string>> = {
  PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  SSL_CERT_FILE: PATHS.certificates,
};

/** All of what the jobs listen to. */
export const STOP_SIGNAL = 'SIGTERM';

export const LABELS: Readonly<Record<string, string>> = {
  'org.opencontainers.image.title': 'holdfast',
  'org.opencontainers.image.description': 'Looks after the PersistentVolumes of a Kubernetes cluster.',
  'org.opencontainers.image.licenses': 'Apache-2.0',
  'dev.holdfast.sbom': PATHS.sbom,
};
