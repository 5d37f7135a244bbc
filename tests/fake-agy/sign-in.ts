import { sleep } from "./control.ts";

/** What agy prints when nobody is signed in. */
export async function signIn(
	state: "error" | "prompt" | "expired" | undefined,
	refuse: (text: string) => never,
): Promise<void> {
	switch (state) {
		case undefined:
			return;
		case "error":
			return refuse("Error: authentication required. Run 'agy' to log in, then retry.\n");
		case "expired":
			return refuse("Authentication expired. Please log back in.\n");
		case "prompt":
			process.stderr.write(
				"Authentication required. Please visit the URL to log in:\n  https://accounts.google.com/o/oauth2/auth?stand-in\n\n" +
					"Or, paste the authorization code here and press Enter:\nWaiting for authentication (timeout 60s)...\n",
			);
			await sleep(60_000);
			return refuse("Error: authentication timed out.\n");
	}
}
