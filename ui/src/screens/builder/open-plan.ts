/** A workflow that opens with its proposal in view: somebody on another screen has just asked for the proposal. */
let wanted: string | undefined;

export function openWithProposal(ref: string): void {
  wanted = ref;
}

export function opensWithProposal(ref: string): boolean {
  return wanted === ref;
}

/** It was opened. */
export function proposalShown(): void {
  wanted = undefined;
}
