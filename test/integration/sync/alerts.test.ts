/** The alerts that the chart makes: they are about metrics that there are, by labels that these have, and as far as the values say. */
import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { syncMetrics } from '../../../src/sync/metrics.ts';
import { rendered } from '../chart/helm.ts';

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly annotations: Readonly<Record<string, string>>;
}

async function rules(alerts: object): Promise<ReadonlyMap<string, Rule>> {
  const objects = await rendered({ sync: { enabled: true, alerts } });
  const found = objects.find(({ kind }) => kind === 'PrometheusRule');
  const { groups = [] } = (found?.spec ?? {}) as { readonly groups?: readonly { readonly rules: readonly Rule[] }[] };
  return new Map(groups.flatMap((group) => group.rules).map((rule) => [rule.alert, rule]));
}

test('there are none unless they are wanted', async () => {
  expect((await rules({ enabled: false })).size).toBe(0);
});

test('an export that is too old and a restore that takes too long are told of, by the limits of the values', async () => {
  const made = await rules({ enabled: true, rpoSeconds: 120, rtoSeconds: 34 });
  expect(made.get('HoldfastSyncExportIsOld')?.expr).toBe('max by (sync) (holdfast_sync_rpo_seconds) > 120');
  expect(made.get('HoldfastSyncRestoreIsSlow')?.expr).toBe('max by (sync) (holdfast_sync_rto_seconds) > 34');
});

test('each is about a metric that the operator has, by labels that it has', async () => {
  const registry = new Registry();
  syncMetrics(registry, () => 0);
  const made = await rules({ enabled: true });
  expect(made.size).toBeGreaterThanOrEqual(4);
  for (const { alert, expr, annotations } of made.values()) {
    const [, by = '', metric = ''] = /by \(([^)]*)\) \((holdfast_\w+)\)/.exec(expr) ?? [];
    const known = registry.getSingleMetric(metric) as { readonly labelNames?: readonly string[] } | undefined;
    expect(known, `${alert}: ${metric}`).toBeDefined();
    const used = [
      ...Object.values(annotations)
        .join()
        .matchAll(/\$labels\.(\w+)/g),
    ].map(([, label = '']) => label);
    expect(by.split(', '), alert).toEqual(expect.arrayContaining([...new Set(used)]));
    expect(known?.labelNames, alert).toEqual(expect.arrayContaining(by.split(', ')));
  }
});
