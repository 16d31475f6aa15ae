/**
 * Memory for O_DIRECT. The kernel takes only buffers that start at a multiple of the logical block, and an ordinary Buffer starts
 * anywhere; the memory of WebAssembly starts at a page.
 */

declare const WebAssembly: {
  readonly Memory: new (pages: { initial: number; maximum: number }) => { readonly buffer: ArrayBuffer };
};

const WASM_PAGE_BYTES = 64 * 1024;
/** No device has a larger logical block than a page of memory. */
const ALIGNMENT_BYTES = 4096;

const aligned = new WeakSet<ArrayBufferLike>();

/** A zeroed buffer that starts at a page. Each one reserves gigabytes of address space (not of memory): make a few and keep them. */
export function alignedBuffer(bytes: number): Buffer {
  const pages = Math.max(1, Math.ceil(bytes / WASM_PAGE_BYTES));
  const { buffer } = new WebAssembly.Memory({ initial: pages, maximum: pages });
  aligned.add(buffer);
  return Buffer.from(buffer, 0, bytes);
}

export function isAligned(bytes: Uint8Array): boolean {
  return aligned.has(bytes.buffer) && bytes.byteOffset % ALIGNMENT_BYTES === 0;
}
