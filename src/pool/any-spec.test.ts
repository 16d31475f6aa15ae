/** Whatever the API server lets through as a pool can be decided on, told about and made objects of. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { whateverFits } from '../../test/arbitraries/structural-schema.ts';
import { structuralSchema } from '../kit/manifests/structural-schema.ts';
import { aPool, seenOf } from './builders.ts';
import type { PvPoolSpec } from './contract.ts';
import { pvPoolResource } from './custom-resource.ts';
import { decide } from './decide.ts';
import { budgetOf } from './objects/budget.ts';
import { serviceOf } from './objects/service.ts';
import { statefulSetOf } from './objects/stateful-set.ts';
import { statusOf } from './status.ts';

/** By the rules of the definition, too. */
const specs = whateverFits(structuralSchema(pvPoolResource.spec)).filter(
  (spec) => pvPoolResource.spec.safeParse(spec).success,
) as fc.Arbitrary<PvPoolSpec>;

/** What once was found stays tried. */
const RECORDED: [PvPoolSpec, number][] = [
  [{ image: '', numPVs: 0, pvSizeGB: 1 }, 3],
  [{ image: 'a', numPVs: 1, pvSizeGB: 1, args: [''], env: [] } as PvPoolSpec, 0],
];

test('any spec of a pool is decided on, whatever there is already', () => {
  fc.assert(
    fc.property(specs, fc.integer({ min: 0, max: 4 }), (spec, replicas) => {
      const seen = seenOf({ pool: aPool(spec), replicas });
      const plan = decide(seen);
      expect(plan.actions).toBeInstanceOf(Array);
      expect(statusOf(seen, plan).phase).toEqual(expect.any(String));
    }),
    { examples: RECORDED },
  );
});

test('any spec of a pool makes objects that are JSON', () => {
  fc.assert(
    fc.property(specs, (spec) => {
      const pool = aPool(spec);
      for (const made of [statefulSetOf(pool), serviceOf(pool), budgetOf(pool)])
        expect(JSON.parse(JSON.stringify(made))).toMatchObject({ metadata: { namespace: 'default' } });
    }),
    { examples: RECORDED.map(([spec]) => [spec]) },
  );
});
