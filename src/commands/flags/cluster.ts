/** The flags of every command that talks to a cluster. They are only read here; loading the configuration is the kit's part. */
import { InvalidValue } from '../../kit/invalid-value.ts';
import { flag, type Kind } from './flag.ts';
import { text } from './text.ts';

const serverUrl: Kind<string> = {
  placeholder: 'url',
  allowed: 'the http(s) URL of an API server',
  example: 'https://10.0.0.1:6443',
  parse(given) {
    const url = URL.parse(given.includes('://') ? given : `https://${given}`);
    if (!url) throw new InvalidValue('URL', given, 'it is not a URL');
    if (url.protocol !== 'https:' && url.protocol !== 'http:') {
      throw new InvalidValue('URL', given, 'it is neither http nor https');
    }
    return url.href.replace(/\/$/, '');
  },
};

/**
 * Without `--kubeconfig` come, in this order: the files that `KUBECONFIG` lists, the configuration inside a cluster,
 * `~/.kube/config`. The variable may name several files and the flag names one, so the variable is left to the loader.
 */
export const clusterFlags = {
  kubeconfig: flag(
    '--kubeconfig',
    'the kubeconfig file; otherwise KUBECONFIG, the cluster this runs in, or ~/.kube/config',
    text('file', '/etc/kubernetes/admin.conf'),
    { emptyIsUnset: true },
  ),
  master: flag('--master', 'the address of the API server, instead of the one in the kubeconfig', serverUrl, {
    emptyIsUnset: true,
  }),
};
