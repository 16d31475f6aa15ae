import { type Cases, get } from '../steps.ts';

/** What the server says it serves. */
export const discovery: Cases = {
  'groups by themselves': [
    get('/apis/apps'),
    get('/apis/coordination.k8s.io'),
    get('/apis/policy'),
    get('/apis/nowhere.example.com'),
  ],
  'resources of groups that are served whole': [
    get('/apis/events.k8s.io/v1'),
    get('/apis/rbac.authorization.k8s.io/v1'),
    get('/apis/apiextensions.k8s.io/v1'),
    get('/apis/nowhere.example.com/v1'),
  ],
  health: [get('/healthz'), get('/livez'), get('/readyz'), get('/healthz/ping')],
};
