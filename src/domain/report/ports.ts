import type { Manifest } from "../model/manifest.ts";
import type { ReferenceRequest } from "./references.ts";

/** What a deployment answers to a GET of one of its addresses. */
export interface Answer {
  readonly status: number;
  /** The path of the file that is served; null for a redirect and for a plain page of the server. */
  readonly file: string | null;
  /** The target of a redirect; null for other answers. */
  readonly location: string | null;
  /** True if only the single-page fallback or a catch-all rewrite answers. */
  readonly isFallback: boolean;
}

export interface AnswerRequest extends ReferenceRequest {
  /** Path and query as a browser sends them. */
  readonly target: string;
}

/** Answers as visitors are answered, without former deployments and without the access check. */
export type Answers = (request: AnswerRequest) => Answer;

/** Returns the answers of a deployment with this manifest. */
export type AnswersOf = (manifest: Manifest) => Answers;
