//! The pages of runs, profiles, trends and settings, played by a real browser.

use super::browser::browse;
use super::pages::{recorded, run_of, served};
use thirtyfour::prelude::*;

async fn text_of(driver: &WebDriver, css: &str) -> WebDriverResult<String> {
    driver.query(By::Css(css)).first().await?.text().await
}

#[test]
fn a_person_follows_a_run_and_tries_another_threshold() {
    let place = recorded();
    let server = served(&place);
    let run = run_of(&server);
    browse(&server, async |driver: WebDriver, base: String| {
        driver.goto(format!("{base}/runs")).await?;
        driver.query(By::LinkText(run.as_str())).first().await?.click().await?;
        assert_eq!(text_of(&driver, "h1").await?, format!("Run {run}"));
        driver.query(By::Css("svg.plot .curve")).first().await?;
        driver.query(By::LinkText("doc")).first().await?.click().await?;
        assert_eq!(text_of(&driver, "h1").await?, "doc");
        assert!(text_of(&driver, "main").await?.contains("Why it stopped"));

        driver.query(By::LinkText("Profiles")).first().await?.click().await?;
        driver.query(By::LinkText("steps")).first().await?.click().await?;
        let threshold = driver.query(By::Css("input[name='accept.overall']")).first().await?;
        threshold.clear().await?;
        // By keyboard alone.
        threshold.send_keys("0.5" + Key::Enter).await?;
        let differs = text_of(&driver, "section[aria-labelledby='differs']").await?;
        assert!(differs.contains("1 of 1 documents would end otherwise."), "{differs}");
        assert!(text_of(&driver, ".diff ins").await?.contains("0.5"));
        let name = driver.query(By::Css("#save-name")).first().await?;
        name.send_keys("our-steps" + Key::Enter).await?;
        driver.query(By::XPath("//h1[normalize-space()='our-steps']")).first().await?;

        driver.query(By::LinkText("Trends")).first().await?.click().await?;
        assert_eq!(driver.query(By::Css("svg.plot")).all_from_selector().await?.len(), 5);
        let bound = driver.query(By::Css("#bound-final_score")).first().await?;
        bound.clear().await?;
        bound.send_keys("0.55" + Key::Enter).await?;
        driver.query(By::XPath("//*[contains(text(), 'below 0.55')]")).first().await?;

        driver.query(By::LinkText("Settings")).first().await?.click().await?;
        let name = driver.query(By::Css("#token-name")).first().await?;
        name.send_keys("lab" + Key::Enter).await?;
        let token = driver.query(By::Css("#fresh-token")).first().await?;
        assert!(token.prop("value").await?.is_some_and(|token| token.starts_with("loopctl_")));
        let revoke = driver.query(By::Css("[aria-label='Revoke the tokens of lab']")).first().await?;
        revoke.click().await?;
        driver.query(By::XPath("//td[normalize-space()='revoked']")).first().await?;
        Ok(())
    });
    assert!(place.read("profiles/our-steps.yaml").contains("0.5"));
}
