//! Content-derived identifiers: never a clock or a random number.

backstory_language::ids! {
    /// One record of the log.
    EventId,
    /// One run of one agent.
    EpisodeId,
    /// One repository, or one folder where there is no repository.
    ProjectId,
    /// One unit of retrieval.
    ChunkId,
    /// One stored version of a file.
    ArtifactId,
    /// One statement worth remembering, in one scope.
    CardId,
    /// One piece of work.
    CaseId,
}
