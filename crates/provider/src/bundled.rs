//! The shipped plugins, linked into the program. They go through the same table as those that are loaded from files.

use loopctl_plugin_sdk::Linked;

/// Every shipped plugin.
pub(super) const BUNDLED: [Linked; 7] = [
    loopctl_anthropic::LOOPCTL_PLUGIN,
    loopctl_command::LOOPCTL_PLUGIN,
    loopctl_gemini::LOOPCTL_PLUGIN,
    loopctl_openai::LOOPCTL_PLUGIN,
    loopctl_pattern::LOOPCTL_PLUGIN,
    loopctl_scripted::LOOPCTL_PLUGIN,
    loopctl_service::LOOPCTL_PLUGIN,
];
