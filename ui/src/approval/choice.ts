// What the person chose to save with *Always*, and how it becomes part of an answer.

import type { AnswerParams, Lifetime, Piece, Question, Scope } from "../contract";
import { exact } from "./shown";

type Span = "quarter" | "hour" | "session" | "quit" | "forever";

export interface Choice {
  proposal: string;
  scope: Scope;
  span: Span;
  /** Whether it holds in every folder, and not only in the one on show and below. */
  anywhere: boolean;
  /** Another folder in which it holds, with everything below. */
  folder: string | null;
  /** Whether it holds on the host too, where the agent asked for its own shell. */
  onHost: boolean;
  anyInput: boolean;
  /** Whether it holds for other versions of its programs by the same developer. */
  bySigner: boolean;
  /** The pattern as edited; null while it is as proposed. */
  edited: string | null;
}

const MINUTE = 60_000;

export function firstChoice(question: Question): Choice {
  return {
    proposal: question.proposals[0]?.id ?? "",
    scope: "agent",
    span: "forever",
    anywhere: false,
    folder: null,
    onHost: false,
    anyInput: false,
    bySigner: false,
    edited: null,
  };
}

/** The choice for another offer: its words, its folders and its programs are its own. */
export function withOffer(choice: Choice, proposal: string): Choice {
  return { ...choice, proposal, edited: null, folder: null, anyInput: false, bySigner: false };
}

/** Whether the label of an offer of this rule begins like a sentence, and not with a program, whose letters stay. */
export function isWorded(label: Piece[], rule: string | undefined): boolean {
  const [program = ""] = rule?.split(" ") ?? [];
  return program !== "" && !label[0]?.text.startsWith(program);
}

/** Whether what is chosen changes the offer, so that the host has to say what that adds. */
export const changesOffer = ({ edited, anywhere, folder, onHost, anyInput, bySigner }: Choice) =>
  edited !== null || anywhere || folder !== null || onHost || anyInput || bySigner;

/** The spans on offer: a session only where it has a name that can be repeated exactly. */
export function spans(question: Question): Span[] {
  // On another Mac a rule is saved as it is offered.
  if (question.host !== undefined) return ["forever"];
  const session = question.asker.session && exact(question.asker.session) !== null;
  return session ? ["forever", "quarter", "hour", "session", "quit"] : ["forever", "quarter", "hour", "quit"];
}

export function lifetime(span: Span, question: Question, now: number): Lifetime {
  switch (span) {
    case "quarter":
      return { kind: "until", value: now + 15 * MINUTE };
    case "hour":
      return { kind: "until", value: now + 60 * MINUTE };
    case "session":
      return { kind: "session", value: exact(question.asker.session ?? []) ?? "" };
    case "quit":
      return { kind: "quit" };
    case "forever":
      return { kind: "forever" };
  }
}

/** Whether what is chosen has a place: a folder, or every one because the person said so. */
export function isPlaced(question: Question, choice: Choice): boolean {
  const picked = question.proposals.find((proposal) => proposal.id === choice.proposal);
  return choice.anywhere || question.tool !== undefined || !!picked?.folder || isRenewal(question, choice);
}

/** The answer that saves the exact command for a while; null if that is not offered for the folder on show. */
export function exactFor(question: Question, span: Span): ((now: number) => AnswerParams) | null {
  const exact = question.proposals.find((proposal) => proposal.id === "exact" && proposal.folder);
  if (!exact || question.tool !== undefined) return null;
  const choice = { ...firstChoice(question), proposal: exact.id, span };
  return (now) => alwaysAnswer(question, choice, now);
}

/** Whether rules that are there are renewed: they stay as they are, and nothing else is to be chosen. */
export function isRenewal(question: Question, choice: Choice): boolean {
  return (question.proposals.find((proposal) => proposal.id === choice.proposal)?.renews ?? 0) > 0;
}

/** An answer without anything saved. */
export function plainAnswer(
  question: Question,
  answer: AnswerParams["answer"],
  feedback: string | null = null,
): AnswerParams {
  return {
    questionId: question.id,
    digest: question.digest,
    answer,
    scope: "agent",
    proposal: null,
    edited: null,
    lifetime: null,
    feedback,
  };
}

/** @param broad whether the person confirmed that it allows more than is shown */
export function alwaysAnswer(question: Question, choice: Choice, now: number, broad = false): AnswerParams {
  if (isRenewal(question, choice)) {
    return { ...plainAnswer(question, "always"), proposal: choice.proposal };
  }
  return {
    ...plainAnswer(question, "always"),
    scope: choice.scope,
    anywhere: choice.anywhere,
    folder: choice.folder,
    onHost: choice.onHost,
    anyInput: choice.anyInput,
    bySigner: choice.bySigner,
    broad,
    proposal: choice.proposal,
    edited: choice.edited,
    lifetime: lifetime(choice.span, question, now),
  };
}
