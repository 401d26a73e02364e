// The approval's stand-in: a queue in memory that arms, settles and moves on as the app does.

import type {
  AnswerParams,
  Batch,
  Edited,
  EditParams,
  Pill,
  PillAct,
  Question,
  QuestionName,
  RulePreview,
  ScriptRef,
  ScriptText,
  Showing,
  ShownArming,
} from "../contract";
import type { InboxBackend } from "./backend";
import { editedTo, sentence, text } from "./samples";

/** What the page said, for tests to look at. */
export interface Said {
  answers: AnswerParams[];
  /** Those that each answer named besides. */
  others: QuestionName[][];
  gathers: boolean[];
  /** The questions that were kept for later. */
  put: string[];
  edits: EditParams[];
  previews: AnswerParams[];
  presented: { id: string; digest: string; height: number; always: boolean }[];
  seen: string[];
  acts: PillAct[];
  /** How often all that waits was asked for. */
  inbox: number;
}

export class FakeApproval implements InboxBackend {
  readonly said: Said = {
    answers: [],
    others: [],
    gathers: [],
    put: [],
    edits: [],
    previews: [],
    presented: [],
    seen: [],
    acts: [],
    inbox: 0,
  };
  /** The question on show with others of its shape, and how many came later. */
  batch: Batch | null = null;
  later = 0;
  private show: (showing: Showing) => void = () => undefined;
  private arming: ShownArming = { state: "unseen" };
  private settled = false;
  private unfolded = false;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private settling: ReturnType<typeof setTimeout> | undefined;
  private holding: ReturnType<typeof setTimeout> | undefined;
  private letGo: () => void = () => undefined;

  /**
   * @param queue what waits, oldest first
   * @param pill what became of the last answer, where nothing waits
   * @param answered hears what was answered
   */
  constructor(
    private queue: Question[],
    private pill: Pill | null = null,
    private readonly answered: (id: string) => void = () => undefined,
  ) {}

  watch(show: (showing: Showing) => void) {
    this.show = show;
    this.appear();
    return () => {
      this.show = () => undefined;
      clearTimeout(this.timer);
      clearTimeout(this.settling);
    };
  }

  /** Another question is on show: it is not armed, and answers count after a moment. */
  private appear() {
    clearTimeout(this.timer);
    clearTimeout(this.settling);
    this.arming = { state: "unseen" };
    this.settled = false;
    this.settling = setTimeout(() => this.settle(), 600);
    this.tell();
  }

  /** Lets answers count at once, as the app would after its own clock. */
  settle() {
    this.settled = true;
    this.tell();
  }

  async presented(id: string, digest: string, height: number, always: boolean) {
    const last = this.said.presented.at(-1);
    this.said.presented.push({ id, digest, height, always });
    if (!last || last.id !== id || last.always === always || this.arming.state === "unseen") return;
    this.count();
  }

  /** Arming starts over. */
  private count() {
    clearTimeout(this.timer);
    const leftMs = this.queue[0]?.armingMs ?? 0;
    this.arming = { state: "counting", leftMs };
    this.timer = setTimeout(() => this.arm(), leftMs);
    this.tell();
  }

  async hold() {
    if (this.arming.state !== "armed") return false;
    return new Promise<boolean>((held) => {
      this.holding = setTimeout(() => held(true), 1200);
      this.letGo = () => held(false);
    });
  }

  async release() {
    clearTimeout(this.holding);
    this.letGo();
  }

  async press() {
    if (this.arming.state !== "armed") return false;
    this.count();
    return true;
  }

  async details(open: boolean) {
    this.unfolded = open;
    this.tell();
  }

  async act(act: PillAct) {
    this.said.acts.push(act);
    this.pill = null;
    this.tell();
  }

  async drag() {}

  async inbox() {
    this.said.inbox += 1;
  }

  /** All that waits. */
  get waiting(): Question[] {
    return this.queue;
  }

  /** Shows another one of those that wait. */
  async choose(id: string) {
    const chosen = this.queue.find((question) => question.id === id);
    if (!chosen || chosen === this.queue[0]) return;
    this.queue = [chosen, ...this.queue.filter((question) => question !== chosen)];
    this.appear();
  }

  async seenEnd(id: string) {
    const open = this.queue[0];
    if (open?.id !== id || this.arming.state !== "unseen") return;
    this.said.seen.push(id);
    this.count();
  }

  /** Arms at once, as the app would after its own clock. */
  arm() {
    this.settled = true;
    this.arming = { state: "armed" };
    this.tell();
  }

  async gather(together: boolean) {
    this.said.gathers.push(together);
    if (!together) this.batch = null;
    this.later = 0;
    this.appear();
  }

  /** It waits behind the others, which the panel does not show. */
  async putOff(id: string) {
    this.said.put.push(id);
    this.queue.shift();
    this.appear();
  }

  async answer(params: AnswerParams, others: QuestionName[]) {
    this.said.answers.push(params);
    this.said.others.push(others);
    const open = this.queue[0];
    if (open?.id !== params.questionId)
      return { applied: false, reason: "it was answered already", also: [], saved: [] };
    this.queue = this.queue.slice(1);
    this.answered(params.questionId);
    this.appear();
    return { applied: true, reason: null, also: [], saved: [] };
  }

  async edit(params: EditParams): Promise<Edited> {
    this.said.edits.push(params);
    const open = this.queue[0];
    if (open?.digest !== params.digest)
      return {
        applied: false,
        reason: text("what was shown is not what would run or be saved by now; look again"),
      };
    if (params.text === undefined) {
      const confinedByPerson = params.confine !== "as-asked";
      const confinement = text(confinedByPerson ? "Confined: no network" : "Runs with your full access");
      const tighter = open.tighter ?? [];
      this.queue[0] = {
        ...open,
        digest: `${open.digest}-${params.confine}`,
        confinement,
        confinedByPerson,
        tighter,
      };
      this.appear();
      return { applied: true, reason: null };
    }
    if (/\brm\b/.test(params.text))
      return {
        applied: false,
        reason: sentence("it is never allowed: ", "rm -rf /", " removes everything there is."),
      };
    this.queue[0] = editedTo(open, params.text);
    this.appear();
    return { applied: true, reason: null };
  }

  async preview(params: AnswerParams): Promise<RulePreview> {
    this.said.previews.push(params);
    const { edited, anywhere, folder, onHost, anyInput, bySigner } = params;
    const problem = edited != null && edited.trim().length < 2 ? "a rule needs a pattern" : null;
    const examples = ["git push origin main", "git push origin fix-login", "git push --tags"];
    const added = [
      edited?.includes("* ") && "send data elsewhere",
      edited?.includes("* ") && "run any program (-c, --exec-path)",
      anywhere && this.queue[0]?.proposals.some((offer) => offer.folder) && "in every folder",
      folder && !folder.includes("/site/") && "in all of ~/Projects",
      onHost && "on the host, not only in its own shell",
      anyInput && "with any input",
      bySigner && "other versions by the same developer",
    ];
    const rules = this.queue[0]?.proposals.find(({ id }) => id === params.proposal)?.rules ?? [];
    const pattern = edited ?? rules.map(({ text }) => text).join(" ");
    const also = added.flatMap((text) => (text ? [{ by: [], text }] : []));
    return {
      problem,
      remarks: [],
      matched: problem ? 0 : 7,
      of: 50,
      examples: problem ? [] : examples,
      also,
      leftOut: pattern.endsWith(" *") && also.length === 0 ? ["--delete", "--force"] : [],
    };
  }

  async script({ sha256 }: ScriptRef): Promise<ScriptText> {
    const programs = this.queue[0]?.programs ?? [];
    const asked = programs.find(({ script }) => script?.sha256 === sha256)?.script;
    if (!asked) throw "no question that waits shows this script";
    return { lines: [...asked.preview, [{ text: "main()", kind: "plain" }]] };
  }

  private tell() {
    const question = this.queue[0] ?? null;
    const { arming, settled, unfolded: details, pill } = this;
    const hold = question?.risk.level === "dangerous";
    const { batch, later } = this;
    this.show({ question, batch, later, arming, settled, hold, details, pill });
  }
}
