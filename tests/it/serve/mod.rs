//! `loopctl serve`, as browsers and programs have it.

mod browser;
mod in_a_browser;
mod pages;
mod running;
