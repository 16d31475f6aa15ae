/** What is on a simulated disk, in memory or in a file. */

export interface DiskContent {
  read(into: Uint8Array, position: number): void;
  write(bytes: Uint8Array, position: number): void;
  /** Takes no room, however large the range. */
  zero(position: number, length: number): void;
  sync(): void;
  /** What a power cut does. */
  loseUnsynced(): void;
  isZero(position: number, length: number): boolean;
  /** Equal for equal content. */
  digest(): string;
}
