//! A browser that tests drive: chromium through its driver. Where there is none, tests say so and pass, unless
//! `LOOPCTL_BROWSER=required`.

use super::running::Server;
use serde_json::json;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use thirtyfour::error::{WebDriverError, WebDriverResult};
use thirtyfour::extensions::query::ElementQueryable;
use thirtyfour::{By, ChromiumLikeCapabilities, DesiredCapabilities, WebDriver};

/// What chromium is told: no window, nothing asked of the network, nothing of a person's own browser.
const FLAGS: [&str; 9] = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--disable-quic",
    "--disable-dev-shm-usage",
];

/// Notes what goes wrong on a page, before any script of it runs: exceptions, what its policy forbids, files that are not there.
const WATCH: &str = "
    const noted = JSON.parse(sessionStorage.getItem('noted') ?? '[]');
    const note = (what) => { noted.push(`${location.pathname}: ${what}`); sessionStorage.setItem('noted', JSON.stringify(noted)); };
    addEventListener('error', (event) => note(event.message ?? `can't load ${event.target.href ?? event.target.src}`), true);
    addEventListener('unhandledrejection', (event) => note(String(event.reason)));
    addEventListener('securitypolicyviolation', (event) => note(`forbidden: ${event.blockedURI} by ${event.violatedDirective}`));
    const told = console.error;
    console.error = (...words) => { note(words.join(' ')); told(...words); };
";

/// The driver as a process, and where it listens.
struct Driver {
    child: Child,
    port: u16,
}

impl Drop for Driver {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Driver {
    fn start() -> Option<Self> {
        let started = Command::new("chromedriver").arg("--port=0").stdout(Stdio::piped()).spawn();
        let Ok(mut child) = started else {
            let is_required = std::env::var("LOOPCTL_BROWSER").is_ok_and(|it| it == "required");
            assert!(!is_required, "there is no `chromedriver`, and LOOPCTL_BROWSER=required");
            println!("there is no `chromedriver`: pages were not tried in a browser");
            return None;
        };
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok);
        let port = lines.find_map(|line| {
            let (_, port) = line.split_once("started successfully on port ")?;
            port.trim_end_matches('.').parse().ok()
        });
        std::thread::spawn(move || lines.for_each(drop));
        Some(Driver { child, port: port.expect("chromedriver says where it listens") })
    }
}

/// Signs in and does `work`; then nothing must have gone wrong on any page.
pub(crate) fn browse(server: &Server, work: impl AsyncFnOnce(WebDriver, String) -> WebDriverResult<()>) {
    let Some(process) = Driver::start() else { return };
    let profile = tempfile::tempdir().unwrap();
    // The driver's client wants one, though nothing is encrypted on the loopback.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let mut capabilities = DesiredCapabilities::chrome();
        for flag in FLAGS {
            capabilities.add_arg(flag).unwrap();
        }
        capabilities.add_arg("--window-size=1280,1600").unwrap();
        capabilities.add_arg(&format!("--user-data-dir={}", profile.path().display())).unwrap();
        let driver =
            WebDriver::new(format!("http://127.0.0.1:{}", process.port), capabilities).await.unwrap();
        driver
            .cdp()
            .send_raw("Page.addScriptToEvaluateOnNewDocument", json!({"source": WATCH}))
            .await
            .unwrap();
        let base = format!("http://{}", server.address);
        let tried = async {
            driver.goto(format!("{base}/login#token={}", server.token)).await?;
            driver.query(By::Css("body > header nav")).first().await?;
            work(driver.clone(), base).await?;
            let noted = driver.execute("return sessionStorage.getItem('noted')", Vec::new()).await?;
            Ok::<_, WebDriverError>(noted.json().clone())
        };
        let noted = tried.await;
        let _ = driver.quit().await;
        assert_eq!(noted.unwrap(), serde_json::Value::Null, "something went wrong on a page");
    });
}
