//! The pages of runs, profiles, trends and settings, played by a real browser.

use super::browser::{Browser, ENTER};
use super::pages::{recorded, run_of, served};

/// Both colour schemes, and the widths of a screen and a tablet.
const LOOKS: [(&str, &[&str], (u32, u32)); 2] =
    [("light", &[], (1280, 1600)), ("dark", &["--force-dark-mode"], (820, 1180))];

/// Replaces the text of a field and sends its form, by keyboard.
fn fill(browser: &Browser, css: &str, text: &str) {
    browser.wait(&format!("document.querySelector(\"{css}\")"));
    browser.run(&format!("const field = document.querySelector(\"{css}\"); field.focus(); field.select()"));
    browser.press(&format!("{text}{ENTER}"));
}

#[test]
#[ignore = "long"]
fn a_person_follows_a_run_and_tries_another_threshold() {
    for (look, flags, size) in LOOKS {
        let place = recorded();
        let server = served(&place);
        let run = run_of(&server);
        let Some(browser) = Browser::start(flags) else { return };
        browser.watch();
        let base = format!("http://{}", server.address);
        browser.open(&format!("{base}/login#token={}", server.token));
        browser.wait("document.querySelector('body > header nav')");
        let shown = |name: &str, words: &str| {
            browser.wait(&format!("document.querySelector('main').innerText.includes(\"{words}\")"));
            browser.picture(&format!("{name}-{look}"), size);
            assert_eq!(browser.serious(), Vec::<String>::new(), "{name}");
        };
        let follow = |link: &str| {
            let found = format!("[...document.links].find((link) => link.innerText.trim() === \"{link}\")");
            browser.wait(&format!("{found} && ({found}.focus(), true)"));
            browser.press(ENTER);
        };

        follow("Runs");
        shown("runs", "Runs, newest first");
        follow(&run);
        browser.wait("document.querySelector('svg.plot .curve')");
        shown("run", "Scores by iteration");
        follow("doc");
        shown("document", "Why it stopped");

        follow("Profiles");
        shown("profiles", "What it is for");
        follow("steps");
        fill(&browser, "input[name='accept.overall']", "0.5");
        shown("profile", "1 of 1 document would end differently.");
        browser.wait(
            "[...document.querySelectorAll('.diff ins')].some((line) => line.innerText.includes('0.5'))",
        );
        fill(&browser, "#save-name", "our-steps");
        browser.wait("document.querySelector('h1').innerText.trim() === 'our-steps'");
        assert!(place.read("profiles/our-steps.yaml").contains("0.5"));

        follow("Trends");
        browser.wait("document.querySelectorAll('svg.plot').length === 5");
        fill(&browser, "#bound-final_score", "0.55");
        shown("trends", "its bound of 0.55");

        follow("Settings");
        fill(&browser, "#token-name", "lab");
        browser.wait("document.querySelector('#fresh-token').value.startsWith('loopctl_')");
        shown("settings", "It is shown only once");
        browser.run("document.querySelector(\"[aria-label='Revoke the tokens of lab']\").click()");
        shown("revoked", "revoked");
        assert_eq!(browser.noted(), Vec::<String>::new());
    }
}
