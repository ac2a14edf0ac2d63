//! The weights of the features.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use super::super::lines::Setting;
use super::features::{FEATURES, Feature};

/// The shipped weights, as written by `backstory-eval links-train`.
pub const WEIGHTS: &str = include_str!("weights.json");

/// A weight for each feature.
#[derive(Clone, Debug, PartialEq)]
pub struct Profile {
    weights: [f32; Feature::COUNT],
}

impl Profile {
    /// The shipped weights. They do not transfer between settings.
    pub fn of(setting: Setting) -> &'static Profile {
        fn read(setting: Setting) -> Profile {
            Profile::read(WEIGHTS, setting).unwrap_or_else(|| Profile::new([0.0; Feature::COUNT]))
        }
        static CHAT: LazyLock<Profile> = LazyLock::new(|| read(Setting::Chat));
        static TABLETOP: LazyLock<Profile> = LazyLock::new(|| read(Setting::Tabletop));
        static TWO_PARTY: LazyLock<Profile> = LazyLock::new(|| read(Setting::TwoParty));
        match setting {
            Setting::Chat => &CHAT,
            Setting::Tabletop => &TABLETOP,
            Setting::TwoParty => &TWO_PARTY,
        }
    }

    pub fn new(weights: [f32; Feature::COUNT]) -> Self {
        Profile { weights }
    }

    /// From a weights file: an object per setting, a number per feature's name. Missing features have weight zero.
    pub fn read(file: &str, setting: Setting) -> Option<Self> {
        let all: BTreeMap<String, BTreeMap<String, f32>> = serde_json::from_str(file).ok()?;
        let named = all.get(setting.name())?;
        let mut weights = [0.0; Feature::COUNT];
        for (feature, _, name) in FEATURES {
            weights[*feature as usize] = named.get(*name).copied().unwrap_or(0.0);
        }
        Some(Profile { weights })
    }

    pub fn weight(&self, feature: Feature) -> f32 {
        self.weights[feature as usize]
    }
}
