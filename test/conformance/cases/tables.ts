import { aNode } from '../objects.ts';
import { type Cases, get, mergePatch, post } from '../steps.ts';

const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json';

const table = (path: string) => get(path, { accept: TABLE });
const mine = (plural: string) => table(`${plural}?fieldSelector=metadata.name%3D{case}`);

/** What `kubectl get` shows is made by the server. */
export const tables: Cases = {
  'nodes and namespaces': [
    post('nodes', aNode({}, { labels: { 'node-role.kubernetes.io/worker': '' } })),
    mergePatch('nodes/{case}/status', {
      status: {
        conditions: [{ type: 'Ready', status: 'True' }],
        nodeInfo: { kubeletVersion: 'v1.2.3', osImage: 'Linux' },
        addresses: [{ type: 'InternalIP', address: '10.0.0.1' }],
      },
    }),
    mine('nodes'),
    mine('namespaces'),
  ],
};
