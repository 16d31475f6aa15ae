import { expect, test } from 'vitest';
import { customResources } from '../../custom-resources.ts';
import { customResourceDefinition } from '../../kit/manifests/crd.ts';
import { aCluster, aWriter, findingsOf, seen, told } from '../builders.ts';
import type { Definition } from '../cluster.ts';
import { kindsAreAsDeclared } from './kinds.ts';

/** As the API server keeps it. */
function stored(
  change: (spec: ReturnType<typeof plain>) => void = () => {},
  labels: Readonly<Record<string, string>> = {},
): ReadonlyMap<string, Definition> {
  return new Map(
    customResources.map(customResourceDefinition).map((crd) => {
      const spec = plain(crd.spec);
      change(spec);
      const metadata = { name: crd.metadata.name, uid: 'u1', resourceVersion: '7', labels };
      const definition: Definition = { metadata, spec };
      return [crd.metadata.name, definition] as const;
    }),
  );
}

const plain = (spec: unknown) =>
  ({ ...JSON.parse(JSON.stringify(spec)), conversion: { strategy: 'None' } }) as Record<string, unknown> & {
    versions: { name: string; schema: { openAPIV3Schema: { properties: Record<string, object> } } }[];
  };

test('kinds as they are declared are well', () => {
  expect(kindsAreAsDeclared.judge(aCluster({ kinds: seen(stored()) })).is).toBe('ok');
});

test('a kind that is not there matters only where its job is installed', () => {
  const writers = seen([aWriter({ job: 'pool' })]);
  expect(told(kindsAreAsDeclared.judge(aCluster({ writers })))).toEqual([
    'error: kind PvPool: the job pool is installed, and its kind pvpools.pvpool.noobaa.com is not',
  ]);
});

test('a kind that lacks something is an error that can be put right', () => {
  const kinds = stored((spec) => delete spec.versions[0]?.schema.openAPIV3Schema.properties.status);
  const findings = findingsOf(kindsAreAsDeclared.judge(aCluster({ kinds: seen(kinds) })));
  expect(findings).toHaveLength(2);
  expect(findings[0]).toMatchObject({
    severity: 'error',
    fix: { does: 'apply', object: { metadata: { uid: 'u1', resourceVersion: '7' } } },
  });
  expect(findings[0]?.evidence).toContain('versions[0].schema.openAPIV3Schema.properties.status differs');
});

test.each([
  ['this', '1.2.3', true],
  ['another', '9.0.0', false],
])(
  'one that %s version wrote and that lacks something can be put right: only by the version that wrote it',
  (_, version, isFixable) => {
    const kinds = stored((spec) => delete spec.versions[0]?.schema.openAPIV3Schema.properties.status, {
      'app.kubernetes.io/version': version,
    });
    const findings = findingsOf(kindsAreAsDeclared.judge(aCluster({ kinds: seen(kinds), version: '1.2.3' })));
    expect(findings.map((finding) => 'fix' in finding)).toEqual([isFixable, isFixable]);
    if (!isFixable) {
      expect(findings[0]?.evidence).toContain('version 9.0.0 wrote it');
      expect(findings[0]?.remedy).toContain('look with holdfast 9.0.0');
    }
  },
);

test('a kind that says more is told, and is left to a person, who would lose what objects say', () => {
  const kinds = stored((spec) =>
    Object.assign(spec.versions[0]?.schema.openAPIV3Schema.properties ?? {}, { newer: { type: 'string' } }),
  );
  for (const finding of findingsOf(kindsAreAsDeclared.judge(aCluster({ kinds: seen(kinds) })))) {
    expect(finding.severity).toBe('warning');
    expect(finding).not.toHaveProperty('fix');
  }
});

test('one that lacks something and says more is left to a person, too', () => {
  const kinds = stored((spec) => {
    const { properties } = spec.versions[0]?.schema.openAPIV3Schema ?? { properties: {} };
    delete properties.status;
    Object.assign(properties, { newer: { type: 'string' } });
  });
  for (const finding of findingsOf(kindsAreAsDeclared.judge(aCluster({ kinds: seen(kinds) })))) {
    expect(finding.severity).toBe('error');
    expect(finding).not.toHaveProperty('fix');
  }
});

test('a kind that the API server does not serve is an error', () => {
  const [name = '', first] = [...stored()][0] ?? [];
  const status = { conditions: [{ type: 'NamesAccepted', status: 'False', message: 'the name is taken' }] };
  const kinds = new Map(first ? [[name, { ...first, status }]] : []);
  expect(told(kindsAreAsDeclared.judge(aCluster({ kinds: seen(kinds) })))).toEqual([
    'error: kind PvPool: it is not served: NamesAccepted is not true: the name is taken',
  ]);
});
