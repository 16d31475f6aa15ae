import { as, type Cases, get, post } from '../steps.ts';

/** Who may do what. */
export const access: Cases = {
  'a token that is none is refused': [as('nonsense', get('configmaps')), as('a.b.c', post('configmaps', {}))],
};
