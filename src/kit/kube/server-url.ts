/** The address of an API server, as people write it. */
import { quote } from '../invalid-value.ts';
import { NoCluster } from './no-cluster.ts';

/** Without a scheme it is https. `where` says who wrote it. */
export function serverUrl(text: string, where: string): URL {
  const url = URL.parse(text.includes('://') ? text : `https://${text}`);
  if (url && (url.protocol === 'https:' || url.protocol === 'http:')) return url;
  throw new NoCluster(`${where} is ${quote(text)}, which is no address; give one like https://10.0.0.1:6443`);
}
