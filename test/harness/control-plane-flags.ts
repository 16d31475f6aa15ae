/** The command lines of the Kubernetes components. All paths are relative to the keeper's directory. */
import { ETCD_URL } from './etcd.ts';

export interface ApiServerOptions {
  /** Whether kube-controller-manager and kube-scheduler run, too. */
  readonly controllers: boolean;
  readonly audit: boolean;
  readonly featureGates: Readonly<Record<string, boolean>>;
  /** More flags, each as `--name=value`; they win over ours. */
  readonly flags: readonly string[];
}

export function apiServerFlags(port: number, { controllers, audit, featureGates, flags }: ApiServerOptions): string[] {
  const gates = Object.entries(featureGates).map(([name, on]) => `${name}=${on}`);
  return [
    '--bind-address=127.0.0.1',
    `--secure-port=${port}`,
    '--advertise-address=127.0.0.1',
    `--etcd-servers=${ETCD_URL}`,
    '--storage-media-type=application/vnd.kubernetes.protobuf',
    '--tls-cert-file=server.crt',
    '--tls-private-key-file=server.key',
    '--client-ca-file=ca.crt',
    '--token-auth-file=tokens.csv',
    '--authorization-mode=Node,RBAC',
    `--service-account-issuer=${SERVICE_ACCOUNT_ISSUER}`,
    '--service-account-key-file=sa.pub',
    '--service-account-signing-key-file=sa.key',
    '--service-cluster-ip-range=10.96.0.0/16',
    '--endpoint-reconciler-type=none',
    '--allow-privileged',
    '--kubelet-preferred-address-types=InternalIP',
    '--profiling=false',
    // Without the controllers nobody makes the "default" service accounts that this plugin asks for.
    ...(controllers ? [] : ['--disable-admission-plugins=ServiceAccount']),
    ...(audit ? ['--audit-policy-file=audit-policy.json', '--audit-log-path=audit.log'] : []),
    ...(gates.length > 0 ? [`--feature-gates=${gates.join(',')}`] : []),
    ...flags,
  ];
}

export const SERVICE_ACCOUNT_ISSUER = 'https://kubernetes.default.svc';

function controllerFlags(name: string): string[] {
  return [`--kubeconfig=${name}.kubeconfig`, '--secure-port=0', '--leader-elect=false'];
}

export function controllerManagerFlags(flags: readonly string[]): string[] {
  return [
    ...controllerFlags('kube-controller-manager'),
    '--root-ca-file=ca.crt',
    '--service-account-private-key-file=sa.key',
    '--cluster-signing-cert-file=ca.crt',
    '--cluster-signing-key-file=ca.key',
    '--pvclaimbinder-sync-period=1s',
    // Nodes that a test writes have no kubelet and must not be taken for dead.
    '--node-monitor-grace-period=24h',
    ...flags,
  ];
}

export function schedulerFlags(): string[] {
  return controllerFlags('kube-scheduler');
}
