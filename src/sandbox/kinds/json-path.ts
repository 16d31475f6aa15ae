/** The paths in CustomResourceDefinitions: `.spec.size`, `.status.conditions[?(@.type=="Ready")].status`, `.metadata.labels['a.b']`. */
import { isList, isMap, type Json } from '../json.ts';

type Step = (values: readonly Json[]) => readonly Json[];

const PART =
  /^(?:\.((?:\\.|[^.[\\])+)|\['([^']*)'\]|\["([^"]*)"\]|\[(\d+)\]|\[(\*)\]|\[\?\(@\.([\w.]+)\s*==\s*(?:"([^"]*)"|'([^']*)')\)\])/;

/** What is found there, in order. A path that cannot be read finds nothing. */
export function jsonPath(path: string): (object: unknown) => readonly Json[] {
  const steps: Step[] = [];
  for (let rest = path.startsWith('.') || path.startsWith('[') ? path : `.${path}`; rest !== ''; ) {
    const part = PART.exec(rest);
    if (!part) return () => [];
    steps.push(stepOf(part));
    rest = rest.slice(part[0].length);
  }
  return (object) => steps.reduce<readonly Json[]>((values, step) => step(values), [object as Json]);
}

function stepOf([, plain, single, double, index, all, field, wanted = '', wantedToo = '']: RegExpExecArray): Step {
  const name = plain?.replaceAll(/\\(.)/g, '$1') ?? single ?? double;
  if (name !== undefined) return (values) => values.flatMap((value) => fieldOf(value, name));
  if (index !== undefined)
    return (values) => values.flatMap((value) => (isList(value) ? value.slice(+index, +index + 1) : []));
  if (all !== undefined)
    return (values) => values.flatMap((value) => (isList(value) ? value : isMap(value) ? Object.values(value) : []));
  const at = (field ?? '').split('.');
  const isMeant = (value: Json) =>
    at.reduce<readonly Json[]>((found, each) => found.flatMap((one) => fieldOf(one, each)), [value])[0] ===
    (wanted || wantedToo);
  return (values) => values.flatMap((value) => (isList(value) ? value.filter(isMeant) : []));
}

const fieldOf = (value: Json, name: string): readonly Json[] =>
  isMap(value) && Object.hasOwn(value, name) ? [value[name] as Json] : [];
