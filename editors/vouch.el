;;; vouch.el --- Experts, and what is in play, from vouch-sidecar  -*- lexical-binding: t -*-

;; Package-Requires: ((emacs "28.1") (eglot "1.9"))

;;; Commentary:

;; Put this file into your load-path and (require 'vouch) into your init file.
;; `vouch-sidecar install emacs' prints how Eglot starts the server.
;;
;; M-x vouch-experts   who carries the evidence on a topic, by default on the symbol at point
;; M-x vouch-in-play   what is in play, in a buffer that follows what you type

;;; Code:

(require 'eglot)
(require 'jsonrpc)

(defconst vouch--buffer "*vouch in play*")
(defvar vouch--in-play nil "The rows of the session that changed last, as a vector.")

(defun vouch--ask (method params)
  "Ask the server of this buffer for METHOD with PARAMS."
  (jsonrpc-request (eglot--current-server-or-lose) method params))

(defun vouch--show (name lines)
  "Put LINES into the buffer NAME; the buffer."
  (with-current-buffer (get-buffer-create name)
    (let ((inhibit-read-only t))
      (erase-buffer)
      (insert (mapconcat (lambda (line) (replace-regexp-in-string "[\r\n]" " " line)) lines "\n")))
    (goto-char (point-min))
    (special-mode)
    (setq truncate-lines t)
    (current-buffer)))

(defun vouch--line (row facts)
  "A line for ROW with FACTS."
  (let ((count (plist-get row :claim_count)))
    (format "%s  (%s)  %d %s, %s" (plist-get row :name) (plist-get row :type)
            count (if (= count 1) "claim" "claims") facts)))

(defun vouch--joined (ids)
  "The vector IDS with commas."
  (mapconcat #'identity ids ", "))

;;;###autoload
(defun vouch-experts (topic)
  "Show who or what carries the evidence on TOPIC."
  (interactive
   (list (read-string "Experts on: " (thing-at-point 'symbol t))))
  (let* ((found (vouch--ask :vouch/experts (list :topic topic :weight "evidence")))
         (lines (mapcar (lambda (row)
                          (vouch--line
                           row (concat "first " (vouch--joined (plist-get row :top_claim_ids)))))
                        (plist-get found :experts))))
    (display-buffer
     (vouch--show "*vouch experts*" (or lines '("No entity carries evidence on this topic."))))))

(defun vouch--update ()
  "Show what is in play; the buffer."
  (vouch--show vouch--buffer
               (or (mapcar (lambda (row)
                             (vouch--line
                              row (concat "named by " (vouch--joined (plist-get row :matched)))))
                           vouch--in-play)
                   '("Nothing known is in play."))))

;;;###autoload
(defun vouch-in-play ()
  "Show what is in play, in a buffer that follows what is typed."
  (interactive)
  (setq vouch--in-play
        (plist-get (vouch--ask :vouch/salience (make-hash-table)) :salience))
  (display-buffer (vouch--update)))

(cl-defmethod eglot-handle-notification
  (_server (_method (eql vouch/didChangeSalience)) &key salience &allow-other-keys)
  "What is in play is now SALIENCE."
  (setq vouch--in-play salience)
  (when (get-buffer vouch--buffer) (vouch--update)))

(cl-defmethod eglot-handle-notification
  (_server (_method (eql vouch/didChangeStatus)) &key &allow-other-keys)
  "The health of the server is not shown.")

(provide 'vouch)
;;; vouch.el ends here
