/** The kit's idea of quantities, names and selectors, held against that of a real API server: every value on which they differ is a failure. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { matchesFields, parseFieldSelector } from '../../src/kit/field-selectors.ts';
import { InvalidValue } from '../../src/kit/invalid-value.ts';
import {
  annotationKeyFault,
  dnsLabelFault,
  dnsSubdomainFault,
  labelKeyFault,
  labelValueFault,
} from '../../src/kit/names.ts';
import { Quantity } from '../../src/kit/quantity.ts';
import { parseLabelSelector } from '../../src/kit/selector-syntax.ts';
import { formatLabelSelector, matches } from '../../src/kit/selectors.ts';
import { labelKeyText, labelValueText, nameText } from '../arbitraries/name-text.ts';
import { quantityParts, quantityText, spell } from '../arbitraries/quantity-text.ts';
import { fieldSelectorText, selectorText, someLabels } from '../arbitraries/selector-text.ts';
import { type ControlPlane, startControlPlane } from '../harness/control-plane.ts';
import { eventually } from '../harness/wait.ts';
import { ServerVerdicts } from './server-verdicts.ts';

let controlPlane: ControlPlane;
let server: ServerVerdicts;

beforeAll(async () => {
  controlPlane = await startControlPlane();
  server = new ServerVerdicts(controlPlane.admin);
  await eventually(() => controlPlane.admin.get('/api/v1/namespaces/default'), { for: 'the default namespace' });
});

afterAll(() => controlPlane?.[Symbol.asyncDispose]());

/** Many values at once, few rounds: what costs is the round trip. A failure shrinks to the one value that shows it. */
const holds = <T>(values: fc.Arbitrary<T>, check: (values: readonly T[]) => Promise<void>) =>
  fc.assert(fc.asyncProperty(fc.array(values, { minLength: 1, maxLength: 150, size: 'max' }), check), { numRuns: 8 });

const attempt = <T>(read: () => T): T | undefined => {
  try {
    return read();
  } catch (error) {
    expect(error).toBeInstanceOf(InvalidValue);
    return undefined;
  }
};

/** Values with the two verdicts on them, so that a failure shows all three. */
const beside = <T, V>(values: readonly T[], verdicts: readonly V[]) =>
  values.map((value, i) => ({ value, verdict: verdicts[i] }));

describe('a quantity', () => {
  const read = (text: string) => attempt(() => Quantity.parse(text));
  const isReadable = (text: string) => read(text) !== undefined;

  /** We refuse exponents of four digits, which cost the server more than they are worth. */
  const isModest = (text: string) => !/[eE][-+]?0*[1-9][0-9]{3}/.test(text);

  /** From 1000E on the server forgets the suffix when it writes a quantity. */
  const isSpeakable = (text: string) => !/[0-9]000E$/.test(String(read(text)));

  it('is accepted when the server accepts it, and has the same value', () =>
    holds(quantityText.filter(isModest), async (texts) => {
      const echoes = await server.quantities(texts, isReadable);
      expect(
        beside(
          texts,
          echoes.map((echo) => echo !== undefined),
        ),
      ).toEqual(beside(texts, texts.map(isReadable)));
      const values = texts.filter(isSpeakable).map((text) => read(text)?.nano);
      const echoed = echoes.filter((_, i) => isSpeakable(texts[i] ?? '')).map((echo) => read(echo ?? '')?.nano);
      expect(beside(texts.filter(isSpeakable), echoed)).toEqual(beside(texts.filter(isSpeakable), values));
    }));

  it('has the canonical form that the server gives it', () =>
    holds(quantityParts, async (parts) => {
      // So many decimals keep the server from returning the text as it came, which it does with most that are nearly canonical.
      const texts = parts
        .map((each) => spell({ ...each, fraction: each.fraction.padEnd(19, '0') }))
        .filter(isSpeakable);
      const echoes = await server.quantities(texts, isReadable);
      expect(beside(texts, echoes)).toEqual(
        beside(
          texts,
          texts.map((text) => read(text)?.toString()),
        ),
      );
    }));

  it('may be a plain number', () =>
    holds(fc.double({ noNaN: true, noDefaultInfinity: true }), async (numbers) => {
      const echoes = await server.quantities(numbers, () => true);
      const echoed = echoes.map((echo) => read(echo ?? '')?.nano);
      expect(beside(numbers, echoed)).toEqual(
        beside(
          numbers,
          numbers.map((number) => read(String(number))?.nano),
        ),
      );
    }));

  it('of 1000E is still written wrongly by the server, and not by us', async () => {
    expect(await server.quantities(['1000E'], isReadable)).toEqual(['1']);
    expect(String(read('1000E'))).toBe('1000E');
  });
});

describe('a name', () => {
  it('is a DNS name when the server takes it for a ConfigMap', () =>
    holds(nameText, async (names) => {
      const verdicts = await server.configMapNames(names);
      expect(beside(names, verdicts)).toEqual(
        beside(
          names,
          names.map((name) => dnsSubdomainFault(name) === undefined),
        ),
      );
    }));

  it('is a DNS label when the server takes it for a Namespace', () =>
    holds(nameText, async (names) => {
      const verdicts = await server.namespaceNames(names);
      expect(beside(names, verdicts)).toEqual(
        beside(
          names,
          names.map((name) => dnsLabelFault(name) === undefined),
        ),
      );
    }));
});

describe('a label', () => {
  it('has a valid key when the server takes it', () =>
    holds(labelKeyText, async (keys) => {
      const isValid = (key: string) => labelKeyFault(key) === undefined;
      expect(beside(keys, await server.labelKeys(keys, isValid))).toEqual(beside(keys, keys.map(isValid)));
    }));

  it('has a valid value when the server takes it', () =>
    holds(labelValueText, async (values) => {
      const isValid = (value: string) => labelValueFault(value) === undefined;
      expect(beside(values, await server.labelValues(values, isValid))).toEqual(beside(values, values.map(isValid)));
    }));
});

describe('an annotation', () => {
  it('has a valid key when the server takes it', () =>
    holds(labelKeyText, async (keys) => {
      const isValid = (key: string) => annotationKeyFault(key) === undefined;
      expect(beside(keys, await server.annotationKeys(keys, isValid))).toEqual(beside(keys, keys.map(isValid)));
    }));
});

describe('a selector', () => {
  const labels = fc.sample(someLabels, { numRuns: 20, seed: 1 });
  let names: readonly string[];

  beforeAll(async () => {
    names = await server.createConfigMaps(labels);
  });

  it('of labels is accepted when the server accepts it, selects the same objects, and still does when it is written again', () =>
    holds(selectorText, async (texts) => {
      const selectors = texts.map((text) => attempt(() => parseLabelSelector(text)));
      const selected = selectors.map(
        (selector) => selector && names.filter((_, i) => matches(selector, labels[i])).sort(),
      );
      expect(beside(texts, await server.labelSelectors(texts))).toEqual(beside(texts, selected));
      const rewritten = selectors
        .map((selector) => selector && formatLabelSelector(selector))
        .filter((text) => text !== undefined);
      expect(await server.labelSelectors(rewritten)).toEqual(selected.filter((found) => found !== undefined));
    }));

  it('of fields is accepted when the server accepts it, and selects the same objects', () =>
    holds(
      fieldSelectorText.map((text) => text.replaceAll('zone', 'metadata.name')),
      async (texts) => {
        const selected = texts.map((text) => {
          const selector = attempt(() => parseFieldSelector(text));
          if (selector?.some(({ field }) => field !== 'metadata.name')) return 'unknown field';
          return selector && names.filter((name) => matchesFields(selector, { 'metadata.name': name })).sort();
        });
        expect(beside(texts, await server.fieldSelectors(texts))).toEqual(beside(texts, selected));
      },
    ));
});
