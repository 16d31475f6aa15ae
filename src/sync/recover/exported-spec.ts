/** Whether the spec of an exported volume or claim is as the API would have it, as far as restoring depends on that. An export is hostile. */
import * as z from 'zod';
import type { KubeObject } from '../../kit/kube/resource.ts';
import { dnsLabelFault, dnsSubdomainFault } from '../../kit/names.ts';
import { Quantity } from '../../kit/quantity.ts';
import { visible } from '../../kit/visible.ts';

const fits = (fault: (value: string) => string | undefined) =>
  z.string().superRefine((value, context) => {
    const message = fault(value);
    if (message !== undefined) context.addIssue({ code: 'custom', message });
  });
const name = fits(dnsSubdomainFault);
const namespace = fits(dnsLabelFault);
const size = fits(sizeFault);
const path = z.string().min(1);

const VOLUME = z.looseObject({
  accessModes: z.array(z.string()).optional(),
  capacity: z.looseObject({ storage: size }),
  claimRef: z.looseObject({ namespace, name }).nullish(),
  csi: z.looseObject({ driver: path, volumeHandle: path }).nullish(),
  mountOptions: z.array(z.string()).nullish(),
  nfs: z.looseObject({ server: path, path }).nullish(),
  nodeAffinity: z.looseObject({}).nullish(),
  storageClassName: z.string().nullish(),
  volumeAttributesClassName: z.string().nullish(),
  volumeMode: z.string().nullish(),
});

const CLAIM = z.looseObject({
  accessModes: z.array(z.string()).optional(),
  resources: z.looseObject({ requests: z.looseObject({ storage: size }) }),
  storageClassName: z.string().nullish(),
  volumeAttributesClassName: z.string().nullish(),
  volumeName: name.or(z.literal('')).nullish(),
});

export type ExportedVolumeSpec = z.infer<typeof VOLUME>;
export type ExportedClaimSpec = z.infer<typeof CLAIM>;

export type ReadSpec<T> = { readonly spec: T } | { readonly fault: string };

export const volumeSpec = (volume: KubeObject): ReadSpec<ExportedVolumeSpec> => read(VOLUME, volume);
export const claimSpec = (claim: KubeObject): ReadSpec<ExportedClaimSpec> => read(CLAIM, claim);

function read<T>(schema: z.ZodType<T>, object: KubeObject & { readonly spec?: unknown }): ReadSpec<T> {
  const { success, data, error } = schema.safeParse(object.spec ?? {});
  if (success) return { spec: data };
  const [issue] = error.issues;
  return { fault: visible(`spec.${issue?.path.join('.')}: ${issue?.message}`) };
}

function sizeFault(value: string): string | undefined {
  try {
    return Quantity.parse(value).nano > 0n ? undefined : 'a size has to be more than nothing';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
