import { keyHint, type Theme } from "@earendil-works/pi-coding-agent";
import { Container, Input, Spacer, Text } from "@earendil-works/pi-tui";
import type { Reply } from "./sub-command.ts";

export interface ValueEditorOptions {
	readonly title: string;
	readonly description: string;
	/** What stands in the line at first. */
	readonly value: string;
	readonly theme: Theme;
	/** Takes a trimmed text. Never rejects; an error is shown, and the editor stays open. */
	save(text: string): Promise<Reply>;
	close(): void;
	/** Called when it looks different without a key. */
	changed(): void;
}

/** A line to type a value into, below what it is for. */
export class ValueEditor extends Container {
	readonly #options: ValueEditorOptions;
	readonly #input = new Input();
	/** Why the value was refused. */
	readonly #refusal = new Text("", 1, 0);
	#state: "open" | "saving" | "closed" = "open";

	constructor(options: ValueEditorOptions) {
		super();
		this.#options = options;
		const { title, description, value, theme } = options;
		// As if it were pasted, which leaves the cursor behind it; setValue leaves it before.
		this.#input.handleInput(`\x1b[200~${value}\x1b[201~`);
		this.#input.onSubmit = (text) => void this.#submit(text.trim());
		this.#input.onEscape = () => this.#close();
		this.addChild(new Text(theme.bold(title), 1, 0));
		this.addChild(new Text(theme.fg("dim", description), 1, 0));
		this.addChild(new Spacer(1));
		this.addChild(this.#input);
		this.addChild(this.#refusal);
		this.addChild(new Spacer(1));
		const keys = `${keyHint("tui.select.confirm", "save")}  ${keyHint("tui.select.cancel", "go back")}`;
		this.addChild(new Text(keys, 1, 0));
	}

	handleInput(data: string): void {
		this.#input.handleInput(data);
	}

	async #submit(text: string): Promise<void> {
		if (this.#state !== "open") return;
		if (text === this.#options.value) return this.#close();
		this.#state = "saving";
		const { level, lines } = await this.#options.save(text);
		if (this.#state !== "saving") return;
		this.#state = "open";
		if (level === "error") this.#refusal.setText(this.#options.theme.fg("error", lines.join(" ")));
		else this.#close();
		this.#options.changed();
	}

	#close(): void {
		this.#state = "closed";
		this.#options.close();
	}
}
