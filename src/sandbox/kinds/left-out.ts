/** Kinds that every Kubernetes has and the sandbox has not: who asks for one is told so, and not that there is no such thing. */

const LEFT_OUT: ReadonlySet<string> = new Set([
  'componentstatuses',
  'endpoints',
  'limitranges',
  'podtemplates',
  'replicationcontrollers',
  'resourcequotas',
  ...of('admissionregistration.k8s.io', 'mutatingwebhookconfigurations', 'validatingwebhookconfigurations'),
  ...of('admissionregistration.k8s.io', 'mutatingadmissionpolicies', 'mutatingadmissionpolicybindings'),
  ...of('apiregistration.k8s.io', 'apiservices'),
  ...of('apps', 'controllerrevisions', 'daemonsets', 'deployments', 'replicasets'),
  ...of('autoscaling', 'horizontalpodautoscalers'),
  ...of('batch', 'cronjobs', 'jobs'),
  ...of('certificates.k8s.io', 'certificatesigningrequests', 'clustertrustbundles'),
  ...of('coordination.k8s.io', 'leasecandidates'),
  ...of('discovery.k8s.io', 'endpointslices'),
  ...of('flowcontrol.apiserver.k8s.io', 'flowschemas', 'prioritylevelconfigurations'),
  ...of('networking.k8s.io', 'ingressclasses', 'ingresses', 'ipaddresses', 'networkpolicies', 'servicecidrs'),
  ...of('node.k8s.io', 'runtimeclasses'),
  ...of('resource.k8s.io', 'deviceclasses', 'resourceclaims', 'resourceclaimtemplates', 'resourceslices'),
  ...of('scheduling.k8s.io', 'priorityclasses'),
  ...of('storage.k8s.io', 'csidrivers', 'csinodes', 'csistoragecapacities', 'volumeattachments'),
  ...of('storage.k8s.io', 'volumeattributesclasses'),
]);

function of(group: string, ...plurals: readonly string[]): readonly string[] {
  return plurals.map((plural) => `${plural}.${group}`);
}

export const isLeftOut = (group: string, plural: string): boolean =>
  LEFT_OUT.has(group === '' ? plural : `${plural}.${group}`);
