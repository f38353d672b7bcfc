/** Whether a node that shares its database may answer public visits from what it knows. */
export interface VisitPermit {
  /** Returns whether every change waits for this node, so that what it knows is current. */
  isCurrent(): boolean;

  /**
   * Tries to make the node current again, for at most a second. Returns whether it may answer: it is current, or it has
   * been without the database for less than the operator allows.
   */
  obtain(): boolean | Promise<boolean>;
}
