//! The tensors of a model file.

use std::path::PathBuf;

use safetensors::{Dtype, SafeTensors};

use crate::embed::EmbedError;

use super::folder::ModelFolder;

/// The bytes of model.safetensors.
pub(super) struct ModelWeights {
    path: PathBuf,
    bytes: Vec<u8>,
}

/// Why a tensor cannot be used.
pub(super) type TensorFault = String;

impl ModelWeights {
    pub(super) fn read(folder: ModelFolder<'_>) -> Result<Self, EmbedError> {
        let path = folder.path.join("model.safetensors");
        let bytes = folder.bytes(&path)?;
        Ok(Self { path, bytes })
    }

    /// The first 8 hex digits of the BLAKE3 hash.
    pub(super) fn hash(&self) -> String {
        blake3::hash(&self.bytes).to_hex()[..8].to_owned()
    }

    /// Passes the tensors to `load`; its errors get the file's name.
    pub(super) fn parse<T>(&self, load: impl FnOnce(&Tensors) -> Result<T, TensorFault>) -> Result<T, EmbedError> {
        let damaged = |reason| EmbedError::Damaged { path: self.path.clone(), reason };
        let tensors = SafeTensors::deserialize(&self.bytes).map_err(|error| damaged(error.to_string()))?;
        load(&Tensors(tensors)).map_err(damaged)
    }
}

/// Named tensors of 32-bit floats.
pub(super) struct Tensors<'a>(SafeTensors<'a>);

impl Tensors<'_> {
    /// The values of the tensor with this name, which must have this shape.
    pub(super) fn get(&self, name: &str, shape: &[usize]) -> Result<Vec<f32>, TensorFault> {
        // Models extracted from a larger network have its name as a prefix.
        let tensor = self.0.tensor(name).or_else(|_| self.0.tensor(&format!("bert.{name}")));
        let tensor = tensor.map_err(|_| format!("the tensor {name} is missing"))?;
        if tensor.dtype() != Dtype::F32 {
            return Err(format!("the tensor {name} holds {:?}, not 32-bit floats", tensor.dtype()));
        }
        if tensor.shape() != shape {
            return Err(format!("the tensor {name} has shape {:?}, not {shape:?}", tensor.shape()));
        }
        Ok(tensor.data().as_chunks().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect())
    }
}
